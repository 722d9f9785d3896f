// SPDX-License-Identifier: Apache-2.0
// The page of `nvdlac explore`: a plot, the front as a table, and the C++ of a configuration.
const { points, networks, members } = report;
const front = points.filter(p => p.front), base = points.find(p => p.base);
const costs = { macs: 'MACs', cbuf: 'bytes of CBUF', bus: 'bits of memory bus',
  lanes: 'lanes of SDP, PDP and CDP', area: 'mm², estimated', energy: 'µJ a run, estimated' };
let selected = null, chart = null;

// [what it is, its value] of a configuration.
const facts = p => [
  ['point', p.base ? `${p.point} (base: ${report.start})` : p.point],
  ['MACs', `${p.shape} = ${whole.format(p.macs)}`],
  ['CBUF', `${whole.format(p.cbuf)} bytes`], ['memory bus', `${p.bus} bits`],
  ['lanes', p.lanes], ['mm², estimated', p.area.toFixed(2)],
  ['µJ a run, estimated', whole.format(p.energy)],
  ...members.map((name, i) => [name, whole.format(p.values[i])]),
  [networks.length > 1 ? 'cycles of traces (geometric mean)' : 'cycles of the trace',
    (p.outlined ? 'at most ' : '') + whole.format(p.cycles)],
  [`runs a second at ${whole.format(report.clock_megahertz)} MHz`,
    whole.format(Math.round(p.runs_per_second))],
  ['limited by', p.limited_by],
  ...(p.each ?? []).map((cycles, i) => [`cycles of ${networks[i]}`, whole.format(cycles)]),
  ['bytes read', whole.format(p.read)], ['written', whole.format(p.written)],
  ['features', whole.format(p.features)], ['weights', whole.format(p.weights)]];

function select(p) {
  selected = p;
  at('#details').replaceChildren(element('table', {}, ...facts(p).map(([name, value]) =>
    element('tr', {}, element('th', {}, name), element('td', {}, String(value))))));
  at('#header').textContent = p.header ?? '';
  at('#copy').hidden = !p.header;
  document.querySelectorAll('#tables tbody tr').forEach((row, i) =>
    row.classList.toggle('selected', front[i] === p));
  chart?.update('none');
}

async function copy() {
  const text = at('#header').textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {  // no permission, or an old browser
    getSelection().selectAllChildren(at('#header'));
    done = document.execCommand('copy');
  }
  at('#copy').textContent = done ? 'copied' : 'select the text and copy it';
  setTimeout(() => { at('#copy').textContent = 'copy the C++'; }, 1500);
}

function draw() {
  if (typeof Chart === 'undefined') {
    at('#front .plot').hidden = at('#front label').hidden = true;
    return;
  }
  chart?.destroy();
  const cost = at('#cost').value;
  Chart.defaults.color = colour('ink');
  Chart.defaults.borderColor = colour('line');
  const sets = [front, points.filter(p => !p.front), base ? [base] : []];
  const place = p => ({ x: p[cost], y: p.cycles });
  const faces = [colour('CONV'), colour('faint', 0.35), 'transparent'], chosen = colour('selected');
  chart = new Chart(at('#front canvas'), {
    type: 'scatter',
    data: { datasets: sets.map((set, s) => ({
      label: ['the front', 'others', `base: ${report.start}`][s], data: set.map(place),
      borderColor: s === 2 ? colour('ink') : undefined, borderWidth: s === 2 ? 2 : 0,
      hidden: set.length === 0,
      backgroundColor: c => set[c.dataIndex] === selected ? chosen : faces[s],
      pointRadius: c => set[c.dataIndex] === selected ? 8 : [4.5, 2.5, 9][s] })) },
    options: {
      animation: false, maintainAspectRatio: false,
      interaction: { mode: 'nearest', intersect: true },
      onClick: (_, found) => {
        if (found.length) select(sets[found[0].datasetIndex][found[0].index]);
      },
      scales: {
        x: { type: 'logarithmic', title: { display: true, text: costs[cost] } },
        y: { type: 'logarithmic', title: { display: true, text: 'cycles' } } },
      plugins: { legend: { labels: { boxWidth: 12, generateLabels: c =>  // never as selected
        Chart.defaults.plugins.legend.labels.generateLabels(c)
          .map((label, s) => ({ ...label, fillStyle: faces[s],
            strokeStyle: s === 2 ? colour('ink') : faces[s] }))
          .filter((_, s) => sets[s].length) } },
        tooltip: { callbacks: {
        label: c => facts(sets[c.datasetIndex][c.dataIndex])
          .map(([name, value]) => `${name}: ${value}`) } } } } });
}

function start() {
  document.title = at('#title').textContent =
    `${networks.join(', ')}: configurations around ${report.start}`;
  figure(whole.format(points.length), 'configurations predicted');
  figure(whole.format(front.length), 'on the front');
  figure(whole.format(report.refused), 'cannot run the network');
  at('#estimate').textContent = `The front is of ${report.front_of.join(', ')}. Area and energy ` +
    `are estimates by ${report.estimate}.`;
  showMissing();
  at('#cost').append(...Object.entries(costs).map(([value, text]) =>
    element('option', { value, textContent: text })));
  at('#cost').onchange = draw;
  at('#copy').onclick = copy;
  at('#theme').addEventListener('click', draw);
  if (front.length) {
    at('#tables thead').append(element('tr', {}, ...facts(front[0]).map(([name]) =>
      element('th', {}, name))));
    at('#tables tbody').append(...front.map(p => {
      const row = element('tr', {}, ...facts(p).map(([, value]) =>
        element('td', { className: 'number' }, String(value))));
      row.onclick = () => select(p);
      return row;
    }));
    select(front[0]);
  }
  draw();
}
start();
