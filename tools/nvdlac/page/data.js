// SPDX-License-Identifier: Apache-2.0
// Values that the page shows, and what is selected: one script with plots.js and page.js behind it,
// glue between the report, Chart.js, d3-zoom and Graphviz's picture.
const has = {  // of the libraries
  plots: typeof Chart !== 'undefined', zoom: typeof d3 !== 'undefined' && 'zoom' in d3 };
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const real = x => x === null || x === undefined ? '∞'
  : Number.isNaN(x) ? 'unknown' : number.format(x);
const bytes = n => n < 1e4 ? `${whole.format(n)} B`
  : n < 1e6 ? `${number.format(n / 1e3)} kB` : `${number.format(n / 1e6)} MB`;
const share = x => `${Math.round(100 * x)} %`;
const shape = s => s.join('×');

// ---- What is shown -----------------------------------------------------------------------------

const layers = report.layers;
// On a device, of each hardware layer.
const measured = report.measured;
for (const m of measured?.layers ?? [])
  layers.find(row => row.task === m.task && row.operation === m.operation).measured = m;
const verified = report.verification;
const errors = verified?.layers ?? [];
for (const e of [...errors, ...(verified?.outputs ?? [])])  // what is not known is no number
  if (e.not_finite) for (const key in e) e[key] ??= NaN;
const scales = new Map(Object.entries(report.scales.layers));
const ranges = new Map(Object.entries(report.scales.table).map(([layer, s]) => [layer, 127 * s]));
const activations = new Map(Object.entries(report.activations));
const shortNames = new Map(Object.entries(report.short_names));
const shortOf = name => shortNames.get(name) ?? name;

// Hardware layers that hand on without memory, as one; and boxes of those for the same layer of the
// network.
const stages = [], boxes = [];
layers.forEach((row, i) => {
  row.index = i;
  (stages[row.stage] ??= { index: row.stage, rows: [] }).rows.push(row);
});
for (const s of stages) {
  const sum = of => s.rows.reduce((total, row) => total + of(row), 0);
  const first = s.rows[0];
  Object.assign(s, {
    name: first.name, unit: unitOf(first), layers: new Set(s.rows.map(r => r.layer)),
    start: first.cycles.start, done: Math.max(...s.rows.map(r => r.cycles.done)),
    own: sum(r => r.cycles.own), behind: first.cycles.behind, waiting: first.cycles.waiting,
    macs: sum(r => r.macs), read: sum(r => r.bytes_read), written: sum(r => r.bytes_written),
    weights: sum(r => r.bytes_of_weights), limit: first.cycles.limited_by,
    bound: first.cycles.at_least });
  // While it works: its own time, and what it had done beside the one before.
  s.busy = Math.max(s.own, s.bound);
  (boxes[first.box] ??= []).push(s.index);
}
// Groups of boxes, by the network's own names, the outer ones first.
const groups = report.groups.map((g, index) => ({ ...g, index, stages: new Set(),
  outer: g.parent === undefined ? [] : null }));
for (const g of groups) g.outer ??= [...groups[g.parent].outer, groups[g.parent]];
const groupsOf = row => row.group === undefined ? []
  : [...groups[row.group].outer, groups[row.group]];
for (const row of layers) for (const g of groupsOf(row)) g.stages.add(row.stage);
// The rest of a name in a group that holds it.
const within = (g, name) => g && name.startsWith(g.name) ? name.slice(g.name.length + 1) : name;
// A hardware layer's name, short.
const shortRow = row => row.name.startsWith(row.layer)
  ? shortOf(row.layer) + row.name.slice(row.layer.length) : row.name;
const end = Math.max(1, ...stages.map(s => s.done));
const total = stages.reduce((sum, s) => sum + s.own, 0);  // the end of the program
const nodes = report.nodes ?? [];  // of the file
const stagesOf = layer => stages.filter(s => s.layers.has(layer)).map(s => s.index);

// ---- Selection: what all views share -----------------------------------------------------------

const state = { selected: new Set(), hovered: new Set(), layer: null };
const views = [];  // functions that show the state
let waiting = false;
function refresh() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; views.forEach(show => show()); });
}
function hover(indices) {
  if (indices.length === state.hovered.size && indices.every(i => state.hovered.has(i))) return;
  state.hovered = new Set(indices);
  refresh();
}
function select(indices, layer = null) {
  state.selected = new Set(indices);
  const first = stages[indices[0]];
  state.layer = layer ?? (first && [...first.layers][0]) ?? null;
  refresh();
}
const isMarked = index => state.selected.has(index) || state.hovered.has(index);
function tie(e, indices, layer = null) {
  e.addEventListener('mouseenter', () => hover(indices));
  e.addEventListener('mouseleave', () => hover([]));
  e.addEventListener('click', () => select(indices, layer));
  views.push(() => {
    e.classList.toggle('selected', indices.some(i => state.selected.has(i)));
    e.classList.toggle('hovered', indices.some(i => state.hovered.has(i)));
  });
}
