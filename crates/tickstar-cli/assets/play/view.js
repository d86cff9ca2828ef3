// Pan and zoom, shared by all panes: which cell is in the middle, and how many pixels a cell has.

const LARGEST = 64;

export class View {
  constructor(changed) {
    this.changed = changed;
    this.width = this.height = 1; // of a pane, in CSS pixels
    this.cells = { width: 1, height: 1 };
    this.x = this.y = 0;
    this.scale = 1;
    this.fitted = true; // follows the size of the panes until the user pans or zooms
  }

  setMap(width, height) {
    this.cells = { width, height };
    this.fit();
  }

  setPane(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = width;
    this.height = height;
    if (this.fitted) this.fit();
    else this.settle();
  }

  fitScale() {
    const margin = Math.min(24, this.width * 0.03);
    return Math.max(0.05, Math.min(LARGEST, (this.width - margin) / this.cells.width, (this.height - margin) / this.cells.height));
  }

  fit() {
    this.x = this.cells.width / 2;
    this.y = this.cells.height / 2;
    this.scale = this.fitScale();
    this.fitted = true;
    this.changed();
  }

  settle() {
    this.scale = Math.min(LARGEST, Math.max(this.fitScale() * 0.5, this.scale));
    this.x = Math.min(this.cells.width, Math.max(0, this.x));
    this.y = Math.min(this.cells.height, Math.max(0, this.y));
    this.changed();
  }

  pan(dx, dy) {
    this.fitted = false;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.settle();
  }

  /** Zooms so that the point (px, py) of the pane keeps its cell. */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const before = this.toCell(px, py);
    this.fitted = false;
    this.scale = Math.min(LARGEST, Math.max(this.fitScale() * 0.5, this.scale * factor));
    const after = this.toCell(px, py);
    this.x += before.x - after.x;
    this.y += before.y - after.y;
    this.settle();
  }

  /** A point of the pane in cells, with fractions. */
  toCell(px, py) {
    return { x: this.x + (px - this.width / 2) / this.scale, y: this.y + (py - this.height / 2) / this.scale };
  }

  toScreen(x, y) {
    return { x: this.width / 2 + (x - this.x) * this.scale, y: this.height / 2 + (y - this.y) * this.scale };
  }
}
