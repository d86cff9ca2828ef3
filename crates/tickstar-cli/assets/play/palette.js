// Colors of the maps and charts, for light and dark, and with more contrast on request. The ramp of
// ages is viridis (its light end is the newest on dark, its dark end on light), the lines are of
// Okabe and Ito's palette; nothing is told by hue alone.

/** Ages in ticks at which the color of an expanded cell changes. */
export const AGES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

const STOPS = {
  light: ['#3b2a70', '#33548c', '#26788e', '#209d88', '#48b96c', '#8fd15a', '#cfe08a', '#e2eab8'],
  dark: ['#fde725', '#b5de2b', '#6ece58', '#35b779', '#1f9e89', '#26828e', '#31688e', '#3a4a80', '#352f5e'],
};

const THEMES = {
  light: { background: '#e9ecf0', free: '#ffffff', wall: '#454d5c', unseen: '#d3d9e1', unseenWall: '#bac2cd', hidden: '#e2b7a0', stale: '#98a1b0',
    terrain: ['#ffffff', '#f3efe2', '#e6e0cb', '#d6cfb2', '#c4bb98', '#cfe0ef', '#b9d2e8', '#a3c3df'],
    walk: '#d55e00', back: '#1b1b1b', plan: '#0072b2', tree: '#5b6b82', start: '#007a58', goal: '#a3386f', agent: '#d55e00', rim: '#ffffff', above: '#0072b2',
    grid: 'rgba(20,30,50,.14)', edge: '#8b95a5', target: '#111318', text: '#1a1f29',
    bars: ['#0072b2', '#d98c00', '#009e73'], limit: '#8a2f2f', walking: '#d55e00', waiting: '#5b6472', noWay: '#000000' },
  dark: { background: '#0c0e12', free: '#1b1f26', wall: '#545f6f', unseen: '#0f1216', unseenWall: '#2c323c', hidden: '#7a4b33', stale: '#39414d',
    terrain: ['#1b1f26', '#26241d', '#302d22', '#3b3727', '#46412d', '#1b2a3a', '#1e344a', '#21405c'],
    walk: '#ff8f3f', back: '#ffffff', plan: '#56b4e9', tree: '#8593a8', start: '#2bd3a0', goal: '#f08fc4', agent: '#ff8f3f', rim: '#101216', above: '#56b4e9',
    grid: 'rgba(255,255,255,.10)', edge: '#4a5361', target: '#ffffff', text: '#e8ebf0',
    bars: ['#56b4e9', '#e69f00', '#2bc494'], limit: '#ff9d8f', walking: '#ff8f3f', waiting: '#9aa5b5', noWay: '#ffffff' },
};
const CONTRAST = {
  light: { wall: '#000000', unseen: '#c9c9c9', unseenWall: '#8a8a8a', walk: '#a33f00', agent: '#a33f00', plan: '#003f73', grid: 'rgba(0,0,0,.4)' },
  dark: { free: '#000000', wall: '#c8c8c8', unseen: '#000000', unseenWall: '#555555', walk: '#ffb066', agent: '#ffb066', plan: '#8fd3ff', grid: 'rgba(255,255,255,.35)' },
};

const parse = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
/** A pixel of an ImageData as one number (all platforms with canvases are little-endian). */
const pack = ([r, g, b]) => ((255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r)) >>> 0;
const mix = (a, b, t) => a.map((v, i) => v + (b[i] - v) * t);

function ramp(stops, count) {
  const colors = stops.map(parse);
  return Array.from({ length: count }, (_, i) => {
    const at = (i / (count - 1)) * (colors.length - 1), low = Math.min(Math.floor(at), colors.length - 2);
    return mix(colors[low], colors[low + 1], at - low);
  });
}

/** The colors for a theme, as CSS text in `css` and as pixels. */
export function palette(theme, contrast) {
  const css = { ...THEMES[theme], ...(contrast ? CONTRAST[theme] : {}) };
  const ages = ramp(STOPS[theme], AGES.length + 1);
  const wall = parse(css.wall);
  const pixel = (name) => pack(parse(css[name]));
  return {
    css,
    ramp: ages.map(([r, g, b]) => `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)})`),
    pixels: {
      free: pixel('free'), wall: pixel('wall'), unseen: pixel('unseen'), unseenWall: pixel('unseenWall'), hidden: pixel('hidden'), stale: pixel('stale'),
      terrain: Uint32Array.from(css.terrain, (color) => pack(parse(color))),
      age: Uint32Array.from(ages, pack),
      // A cell that was searched though a wall is there that the agent does not know of.
      ageInWall: Uint32Array.from(ages, (color) => pack(mix(color, wall, 0.45))),
    },
  };
}
