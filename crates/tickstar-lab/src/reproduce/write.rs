//! The files of a report.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::folder::FolderError;
use super::html::html;
use super::report::{PaperReport, Report};
use super::{Evidence, Folder, Kept, times};
use crate::draw::png;
use crate::experiment::{Store, write_whole};

/// What was written.
#[derive(Clone, PartialEq, Debug)]
pub struct Written {
    /// What is counted.
    pub report: Report,
    /// The evidence for it.
    pub kept: Kept,
    /// Running times, if they were measured.
    pub times: Option<(Report, Kept)>,
}

impl Folder {
    /// The records of running times.
    pub fn times_store(&self) -> Store {
        Store::new(self.path().join("times"))
    }

    /// Writes the report: `report.html`, its figures and pictures in `figures`, its claims and tables in `claims.json`, and
    /// what was measured in `evidence.json`; and the same of running times, if all of them were measured.
    ///
    /// # Errors
    /// When records are missing, or a file cannot be written.
    pub fn write(&self) -> Result<Written, FolderError> {
        let (report, kept) = self.report()?;
        self.write_one(&report, &kept, ["report.html", "claims.json", "evidence.json"])?;
        let experiments = times::experiments(self.settings());
        let store = self.times_store();
        let is_complete = |experiment: &crate::Experiment| {
            experiment.problems_missing(&store, crate::experiment::Shard::WHOLE) == 0
        };
        if experiments.is_empty() || !experiments.iter().all(is_complete) {
            return Ok(Written { report, kept, times: None });
        }
        let mut evidence = Evidence::of_records(&experiments, &store);
        let timed = times::report(self.settings(), &mut evidence);
        let timed_kept = evidence.keep(self.summary());
        evidence.check()?;
        self.write_one(&timed, &timed_kept, ["times.html", "times-claims.json", "times.json"])?;
        Ok(Written { report, kept, times: Some((timed, timed_kept)) })
    }

    /// Writes the records of each experiment as CSV, in `csv`.
    ///
    /// # Errors
    /// When records are missing, or a file cannot be written.
    pub fn write_csv(&self) -> Result<(), FolderError> {
        for experiment in self.experiments() {
            let text = experiment.csv(&self.store())?;
            let path = self.path().join("csv").join(format!("{}.csv", experiment.name));
            write_whole(&path, text.as_bytes())?;
        }
        Ok(())
    }

    fn write_one(
        &self,
        report: &Report,
        kept: &Kept,
        [page, claims, evidence]: [&str; 3],
    ) -> Result<(), FolderError> {
        let path = |name: &str| self.path().join(name);
        for paper in &report.papers {
            write_pictures(&path("figures"), paper)?;
        }
        write_whole(&path(claims), format!("{:#}\n", claims_json(report)).as_bytes())?;
        write_whole(&path(evidence), kept.to_text().as_bytes())?;
        // Last, so that all that it leads to is there.
        write_whole(&path(page), html(report).as_bytes())?;
        Ok(())
    }
}

fn write_pictures(folder: &Path, paper: &PaperReport) -> Result<(), FolderError> {
    let path = |key: &str, end: &str| -> PathBuf { folder.join(format!("{key}.{end}")) };
    let draw = |error: crate::draw::DrawError| FolderError::Draw(error.to_string());
    for figure in &paper.figures {
        write_whole(&path(figure.key, "svg"), figure.chart.svg().as_bytes())?;
        write_whole(&path(figure.key, "png"), &figure.chart.png().map_err(draw)?)?;
        write_whole(&path(figure.key, "csv"), figure.chart.csv().as_bytes())?;
    }
    for picture in &paper.pictures {
        write_whole(&path(picture.key, "svg"), picture.svg.as_bytes())?;
        write_whole(&path(picture.key, "png"), &png(&picture.svg).map_err(draw)?)?;
    }
    Ok(())
}

/// Claims and tables for programs.
fn claims_json(report: &Report) -> serde_json::Value {
    let papers = report.papers.iter().map(|paper| {
        let claims = paper.claims.iter().map(|claim| {
            json!({
                "key": claim.key,
                "claim": claim.words,
                "place": claim.place,
                "paper": claim.paper,
                "ours": claim.ours,
                "verdict": claim.verdict.words(),
                "why": claim.why,
                "rule": claim.rule,
                "note": claim.note,
            })
        });
        let tables = paper.tables.iter().map(|table| {
            let rows = table.rows.iter().map(|row| {
                json!({ "name": row.name, "of_paper": row.of_paper, "cells": row.cells })
            });
            let rows: Vec<_> = rows.collect();
            json!({ "key": table.key, "title": table.title, "columns": table.columns, "rows": rows })
        });
        json!({
            "key": paper.key,
            "citation": paper.citation,
            "setup": paper.setup,
            "claims": claims.collect::<Vec<_>>(),
            "tables": tables.collect::<Vec<_>>(),
        })
    });
    json!({ "about": report.about, "papers": papers.collect::<Vec<_>>() })
}
