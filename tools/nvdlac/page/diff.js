// SPDX-License-Identifier: Apache-2.0
// Two loadables beside each other: what changed of the whole, and their layers by name.
const [a, b] = report.sides;
const said = x => x === null ? '–' : typeof x === 'number' ? whole.format(x)
  : Array.isArray(x) ? x.join(', ') : x;
const change = (from, to) => {
  const cell = element('td', { className: 'number' });
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) return cell;
  cell.textContent = (to > from ? '+' : '−') + whole.format(Math.abs(to - from)) +
    (from ? ` (${(100 * (to / from - 1)).toFixed(1)} %)` : '');
  cell.classList.add(to < from ? 'less' : 'more');
  return cell;
};

// Layers of both, by name, unit and number of those that are called alike; in B's order, then what
// A alone has.
const key = (l, seen) => {
  const name = `${l.unit} ${l.name}`, n = seen.get(name) ?? 0;
  seen.set(name, n + 1);
  return `${name} ${n}`;
};
const pairs = new Map();
const inA = new Map(), inB = new Map();
for (const l of b.layers) pairs.set(key(l, inB), { b: l });
for (const l of a.layers) {
  const of = key(l, inA);
  pairs.set(of, { ...pairs.get(of), a: l });
}
const rows = [...pairs.values()].map(p => {
  const { name, unit } = p.b ?? p.a;
  return { ...p, name, unit };
});
const changedNames = new Set(report.layers.changed.map(l => `${l.unit} ${l.name}`));
const isChanged = r => !r.a || !r.b || changedNames.has(`${r.unit} ${r.name}`) ||
  r.a.cycles !== r.b.cycles;

let marked = null, chart = null;
function mark(name) {
  marked = marked === name ? null : name;
  document.querySelectorAll('#layers tbody tr').forEach(row =>
    row.classList.toggle('selected', row.dataset.name === marked));
  chart?.update('none');
}

function draw() {
  if (typeof Chart === 'undefined') {
    at('#timeline').hidden = true;
    return;
  }
  chart?.destroy();
  Chart.defaults.color = colour('ink');
  Chart.defaults.borderColor = colour('line');
  const bars = [], lines = [];
  for (const [side, of] of [['A', a], ['B', b]]) {
    const free = {};
    for (const unit of ['CONV', 'SDP', 'PDP', 'CDP', 'RUBIK'])
      if (of.layers.some(l => unitOf(l) === unit)) lines.push(`${side} ${unit}`);
    for (const l of of.layers) {
      if (l.done <= l.start) continue;
      const unit = unitOf(l), from = Math.max(l.start, free[unit] ?? 0);
      free[unit] = Math.max(l.done, free[unit] ?? 0);
      bars.push({ y: `${side} ${unit}`, x: [Math.min(from, l.done), l.done], layer: l, side });
    }
  }
  const faces = new Map(['CONV', 'SDP', 'PDP', 'CDP', 'RUBIK', 'HOST'].map(u => [u, colour(u)]));
  const chosen = colour('selected');
  chart = new Chart(at('#timeline canvas'), {
    type: 'bar',
    data: { labels: lines, datasets: [{ data: bars, grouped: false, minBarLength: 1,
      barPercentage: 0.9, categoryPercentage: 0.9, borderSkipped: false,
      borderColor: colour('panel'), borderWidth: { left: 0.5, right: 0.5 },
      backgroundColor: c => {
        const bar = bars[c.dataIndex];
        return bar && (bar.layer.name === marked ? chosen : faces.get(unitOf(bar.layer)));
      } }] },
    options: { indexAxis: 'y', animation: false, maintainAspectRatio: false,
      interaction: { mode: 'nearest', intersect: true },
      onClick: (_, found) => { if (found.length) mark(bars[found[0].index].layer.name); },
      scales: { x: { min: 0, max: Math.max(1, a.cycles, b.cycles),
        title: { display: true, text: 'cycles' },
        ticks: { callback: x => whole.format(Math.round(x)) } },
        y: { type: 'category', labels: lines } },
      plugins: { legend: { display: false }, tooltip: { callbacks: { title: () => '', label: c => {
        const { layer, side } = bars[c.dataIndex];
        return [`${side}: ${layer.name}`, `${layer.unit}, ${whole.format(layer.start)} to ` +
          `${whole.format(layer.done)}, ${whole.format(layer.cycles)} of its own`];
      } } } } } });
}

function showLayers() {
  const wanted = at('#search').value.trim().toLowerCase(), all = at('#which').value === 'all';
  const shown = rows.filter(r => (all || isChanged(r)) && r.name.toLowerCase().includes(wanted));
  at('#found').textContent = `${whole.format(shown.length)} of ${whole.format(rows.length)} layers`;
  at('#layers tbody').replaceChildren(...shown.map(r => {
    const number = x => element('td', { className: 'number', textContent: x === undefined ? '–'
      : whole.format(x) });
    const line = element('tr', {}, element('td', { textContent: r.name }),
      element('td', { textContent: r.unit }), number(r.a?.cycles), number(r.b?.cycles),
      change(r.a?.cycles, r.b?.cycles), number(r.a?.bytes), number(r.b?.bytes),
      change(r.a?.bytes, r.b?.bytes));
    line.dataset.name = r.name;
    line.classList.toggle('selected', r.name === marked);
    line.onclick = () => mark(r.name);
    return line;
  }));
  const sum = (side, of) => shown.reduce((total, r) => total + (r[side]?.[of] ?? 0), 0);
  const [cyclesA, cyclesB, bytesA, bytesB] =
    [sum('a', 'cycles'), sum('b', 'cycles'), sum('a', 'bytes'), sum('b', 'bytes')];
  const cell = x => element('th', { className: 'number', textContent: whole.format(x) });
  at('#layers tfoot').replaceChildren(element('tr', {}, element('th', { textContent: 'sum' }),
    element('th'), cell(cyclesA), cell(cyclesB), change(cyclesA, cyclesB), cell(bytesA),
    cell(bytesB), change(bytesA, bytesB)));
}

function start() {
  document.title = at('#title').textContent = `${report.a} → ${report.b}`;
  figure(`${whole.format(a.cycles)} → ${whole.format(b.cycles)}`, 'cycles predicted');
  figure(report.same ? 'the same' : 'different', 'byte for byte');
  const { equal, changed, removed, added } = report.layers;
  figure(`${equal} / ${changed.length} / ${removed.length} / ${added.length}`,
    'layers equal / changed / in A alone / in B alone');
  showMissing();
  const head = names => element('tr', {}, ...names.map((name, i) =>
    element('th', { textContent: name, className: i > 1 ? 'number' : '' })));
  at('#whole').append(head(['', 'A', 'B', 'change']), ...report.changes.map(c => element('tr', {},
    element('th', { textContent: c.what }), element('td', { textContent: said(c.a) }),
    element('td', { textContent: said(c.b) }), change(c.a, c.b))));
  at('#layers thead').append(head(['layer', 'unit', 'cycles of A', 'of B', 'change', 'bytes of A',
    'of B', 'change']));
  at('#search').oninput = at('#which').onchange = showLayers;
  at('#theme').addEventListener('click', draw);
  showLayers();
  draw();
}
start();
