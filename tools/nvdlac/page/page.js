// SPDX-License-Identifier: Apache-2.0
// The head of the page, its tables and the picture of the data flow, and the start of all.

// ---- Head, tables ------------------------------------------------------------------------------

function showFigures() {
  const p = report.prediction, m = report.memory;
  const title = `${report.network} on ${report.configuration}`;
  document.title = at('#title').textContent = title;
  const extrapolated = p.extrapolated ? ' (extrapolated)' : '';
  figure(whole.format(p.cycles), `cycles predicted of the ${p.of}${extrapolated}`,
    'From the first register to the last interrupt, in cycles of NVDLA\'s clock; what the host ' +
    'computes is not counted');
  figure(real(p.runs_per_second), `runs a second at ${p.clock_megahertz} MHz`,
    'The clock divided by these cycles; --clock tells the clock');
  if (verified) {
    figure(`${verified.same_class} / ${verified.inputs}`, 'inputs of the same class as float',
      'How often the program and the float network find the same first class');
    if ('right' in verified)
      figure(`${verified.right} / ${verified.inputs}`, `right; float ${verified.float_right}`,
        'How often the first class is the label');
    figure(`${real(verified.outputs[0].snr)} dB`, `SNR of output ${verified.outputs[0].name}`,
      'Signal to noise: 20 dB are an error of a tenth of the values, 40 dB of a hundredth');
    if (verified.worst_layer)
      figure(verified.worst_layer.name, 'loses most',
        'The layer whose own integers add the most error beside its signal');
  }
  figure(share(p.utilisation), 'of the time the MACs work',
    'Cycles in which the MACs have data, of all; the rest is waiting and other units');
  figure(p.limited_by, 'limits most cycles',
    'What would have to be larger for most of the cycles: MACs, memory, the way to SDP, or a unit');
  figure(bytes(m.weights), 'weights', 'What the loadable brings, once, into memory');
  figure(bytes(m.features), `features at the peak; at least ${bytes(m.features_lower_bound)}`,
    'Memory for tensors between layers, and the bound below which no placement comes');
  figure(`${bytes(report.totals.bytes_read)} / ${bytes(report.totals.bytes_written)}`,
    'read / written', 'What a run moves over the memory bus');
  figure(`${stages.length} / ${layers.length}`, 'stages / hardware layers',
    'A stage is of hardware layers that hand on without memory');
  const trace = report.prediction_of_trace;
  if (trace)
    figure(whole.format(trace.cycles), 'cycles of the register trace',
      'The trace can bring weights ahead of their layers, which no loadable can say');
}

// What it was made from and for.
function showProvenance() {
  const from = report.provenance, h = report.hardware;
  if (!from) return;
  const rows = [];
  const add = (what, said) => rows.push(element('tr', {}, element('th', { textContent: what }),
    element('td', { textContent: said })));
  add('made by', `nvdlac ${from.version}${from.commit ? ` (${from.commit})` : ''}`);
  add('for', `${report.configuration}: ${whole.format(h.macs_per_cycle)} MACs and ` +
    `${whole.format(h.bytes_per_cycle)} bytes of memory a cycle, ${bytes(h.cbuf)} of CBUF`);
  add('in', report.precision);
  for (const s of from.sources)
    add(s.role, `SHA-256 ${s.sha256}` + (s.role === 'calibration'
      ? ` of the values of ${s.count} inputs` : s.count === 1 ? '' : ` of ${s.count} files`));
  add('options', from.options.join(' '));
  const details = element('details', {},
    element('summary', { textContent: 'What it was made from' }),
    element('table', {}, ...rows));
  at('#tables').append(element('section', { id: 'provenance' }, details));
  let opened;
  addEventListener('beforeprint', () => { opened = details.open; details.open = true; });
  addEventListener('afterprint', () => { details.open = opened; });
}

// Which class was found for which, and the inputs that are wrong or changed.
function showConfusion() {
  const found = verified?.confusion;
  at('#confusion').hidden = !found;
  if (!found) return;
  const classes = [...new Set(found.counts.flatMap(([expected, got]) => [expected, got]))]
    .sort((a, b) => a - b);
  const off = found.counts.filter(([expected, got]) => expected !== got)
    .sort((a, b) => b[2] - a[2]);
  const by = found.expected === 'label' ? 'the label' : 'the float network';
  const all = found.counts.reduce((sum, c) => sum + c[2], 0);
  const most = 40;  // classes that have room beside each other
  at('#confusion .hint').textContent = `${whole.format(all)} inputs, by the class of ${by} ` +
    (classes.length <= most ? '(lines) and that of the program (columns).'
      : `and that of the program: the ${Math.min(most, off.length)} most frequent confusions.`);
  if (classes.length <= most) {
    const count = new Map(found.counts.map(([e, g, n]) => [`${e} ${g}`, n]));
    const largest = Math.max(1, ...off.map(c => c[2]));
    at('#matrix').append(element('tr', {}, element('th'),
      ...classes.map(c => element('th', { textContent: c, className: 'number' }))),
    ...classes.map(expected => element('tr', {}, element('th', { textContent: expected }),
      ...classes.map(got => {
        const n = count.get(`${expected} ${got}`) ?? 0;
        const cell = element('td', { className: 'number', textContent: n || '',
          title: `${expected} found as ${got}: ${n}` });
        if (n && expected === got) cell.classList.add('right');
        else if (n) cell.style.setProperty('--share', `${20 + 60 * n / largest}%`);
        if (n && expected !== got) cell.classList.add('wrong');
        return cell;
      }))));
  } else {
    at('#matrix').append(...off.slice(0, most).map(([expected, got, n]) => element('tr', {},
      element('th', { textContent: `${expected} as ${got}` }),
      element('td', { textContent: whole.format(n), className: 'number' }))));
  }
  table(found.expected === 'label' ? 'Inputs whose class is wrong or changed'
    : 'Inputs whose class changed', found.wrong, [['input', w => w.name],
    ...found.expected === 'label' ? [['label', w => w.label, x => whole.format(x)]] : [],
    ['float', w => w.float_class, x => whole.format(x)],
    ['program', w => w.class, x => whole.format(x)]]);
}

// So many rows of a table are printed, as page.css has it: a page.
const printedRows = 65;

// A table of columns [title, value of a row, printed (numbers only)]; a title sorts. Paper has no
// room for the columns `onScreen`.
function table(title, rows, columns, { tied = null, open = false, sums = null,
  onScreen = [] } = {}) {
  if (rows.length === 0) return;
  const looks = ([name, , print]) =>
    (print ? 'number' : '') + (onScreen.includes(name) ? ' on_screen' : '');
  const body = element('tbody');
  const lines = rows.map(row => {
    const line = element('tr', {}, ...columns.map(column => {
      const [, value, print] = column;
      return element('td', { className: looks(column) },
        print ? print(value(row)) : String(value(row)));
    }));
    if (tied !== null) tie(line, ...tied(row));
    return { row, line };
  });
  body.append(...lines.map(l => l.line));
  let sorted = null;
  const head = element('tr', {}, ...columns.map(column => {
    const [name, value] = column;
    const cell = element('th', { textContent: name, className: looks(column) });
    cell.onclick = () => {
      const down = sorted === name;
      sorted = down ? null : name;
      const key = l => value(l.row) ?? Infinity;
      lines.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
      body.append(...lines.map(l => l.line));
    };
    return cell;
  }));
  at('#tables').append(element('section', {}, element('details', { open },
    element('summary', { textContent: title }),
    rows.length <= printedRows ? null : element('p', { className: 'printed', textContent:
      `The first ${printedRows} of ${whole.format(rows.length)} rows; a browser shows all.` }),
    element('div', { className: 'rows' },
      element('table', {}, element('thead', {}, head), body, sums && element('tfoot', {},
        element('tr', {}, ...columns.map((column, i) => {
          const [name, value, print] = column;
          return element('th', { className: looks(column), textContent: i === 0 ? 'sum'
            : sums.includes(name) ? print(rows.reduce((sum, row) => sum + value(row), 0)) : '' });
        }))))))));
}

// What became of a layer of the file.
const fates = { hardware: 'hardware layers', host: 'a layer of the host',
  view: 'nothing: it is read where it stands', gone: 'nothing: no output depends on it' };
const fateOf = n => n.part_of ? `part of ${n.part_of}${n.became === 'host' ? ', on the host' : ''}`
  : fates[n.became];

function showTables() {
  const count = x => whole.format(x);
  table('Layers', layers, [['#', r => r.index, count], ['layer', r => r.name],
    ['unit', r => r.unit], ['input', r => shape(r.input)], ['output', r => shape(r.output)],
    ['MACs', r => r.macs, count], ['read', r => r.bytes_read, count],
    ['written', r => r.bytes_written, count], ['start', r => r.cycles.start, count],
    ['behind', r => r.cycles.behind, count], ['cycles', r => r.cycles.own, count],
    ['share', r => r.cycles.own / Math.max(1, total), x => `${(100 * x).toFixed(1)} %`],
    ['at least', r => r.cycles.at_least, count], ['limited by', r => r.cycles.limited_by],
    ['waits', r => r.cycles.waiting, count], ['in', r => r.cycles.waits_in], ['what', r => r.what]],
    { tied: r => [[r.stage]], open: true,
      sums: ['MACs', 'read', 'written', 'cycles', 'share'],
      onScreen: ['behind', 'at least', 'waits', 'in'] });
  table('Layers of the file', nodes, [['layer', n => n.name], ['operator', n => n.operator],
    ['became', n => fateOf(n)], ['hardware layers', n => n.layers.length, count],
    ['cycles', n => n.layers.reduce((sum, i) => sum + layers[i].cycles.own, 0), count]],
    { tied: n => [[...new Set(n.layers.map(i => layers[i].stage))], n.part_of ?? n.name] });
  table('Errors of layers', errors, [['layer', e => e.name],
    ['SNR of its own, dB', e => e.snr_of_its_own, real], ['SNR of all, dB', e => e.snr, real],
    ['cosine', e => e.cosine, real], ['dB lost by its scale', e => e.lost_by_its_scale, real]]);
  table('Outputs', verified?.outputs ?? [], [['output', o => o.name],
    ['largest error', o => o.largest_error, real], ['mean error', o => o.mean_error, real],
    ['SNR, dB', o => o.snr, real], ['cosine', o => o.cosine, real]]);
  table('Scales', [...scales], [['layer', s => s[0]], ['scale', s => s[1].scale, real],
    ['stands for 0', s => s[1].zero, count],
    ['range in the scale table', s => ranges.get(s[0]), x => x === undefined ? '' : real(x)]]);
  table('Weights', report.weights, [['layer', w => w.layer], ['channels', w => w.channels, count],
    ['smallest channel', w => w.quartiles[0], real], ['median', w => w.quartiles[2], real],
    ['largest channel', w => w.quartiles[4], real]]);
  table('Feature memory', report.memory.buffers, [['buffer', b => b.name],
    ['bytes', b => b.bytes, count], ['offset', b => b.offset, count],
    ['from layer', b => b.first_layer, count], ['to layer', b => b.last_layer, count]]);
  table('Changes of order', report.conversions, [['layer', c => c.layer],
    ['from', c => c.from.map(f => `${f.layer} ${shape(f.shape)}`).join(', ')],
    ['to', c => shape(c.to)], ['layers', c => c.layers, count], ['cycles', c => c.cycles, count],
    ['why it is there', c => c.why]]);
  table('Remarks', report.remarks, [['layer', r => r.layer], ['remark', r => r.text]]);
}

function showDetails() {
  const rows = [];
  const add = (what, value) => rows.push(element('tr', {}, element('th', { textContent: what }),
    element('td', { textContent: value })));
  const chosen = [...state.selected].map(index => stages[index]);
  if (chosen.length > 1)
    add('parts', `${chosen.length}, in cycles ` +
      `${whole.format(Math.min(...chosen.map(s => s.start)))} to ` +
      `${whole.format(Math.max(...chosen.map(s => s.done)))}`);
  for (const s of chosen) {
    for (const r of s.rows)
      add(r.unit, `${r.name}: ${shape(r.input)} → ${shape(r.output)}` +
        (r.what ? `, ${r.what}` : ''));
    add('cycles', `${whole.format(s.own)} of its own, ${share(s.own / Math.max(1, total))} of all` +
      (s.bound ? `; at least ${whole.format(s.bound)} (${s.limit}); waits ` +
      `${whole.format(s.waiting)} in ${s.rows[0].cycles.waits_in}` : ''));
    add('from', `${whole.format(s.start)} to ${whole.format(s.done)}, of that ` +
      `${whole.format(s.behind)} behind the one before`);
    const made = [...new Set(s.rows.flatMap(r => r.nodes ?? []))];
    if (made.length) add('layers of the file', made.join(', '));
    if (s.macs)
      add('MACs', `${whole.format(s.macs)}, ${real(s.macs / s.busy)} a cycle of ` +
        `${report.hardware.macs_per_cycle}`);
    add('memory', `${bytes(s.read)} read (${bytes(s.weights)} weights), ` +
      `${bytes(s.written)} written`);
  }
  const scale = scales.get(state.layer), error = errors.find(e => e.name === state.layer);
  if (scale) add('scale', `${real(scale.scale)}, ${whole.format(scale.zero)} stands for 0` +
    (ranges.has(state.layer) ? `; up to ${real(ranges.get(state.layer))}` : ''));
  if (error)
    add('error', `SNR ${real(error.snr_of_its_own)} dB of its own, ${real(error.snr)} dB of all; ` +
      `its scale costs ${real(error.lost_by_its_scale)} dB`);
  at('#details').replaceChildren(rows.length ? element('table', {}, ...rows)
    : element('p', { className: 'hint', textContent: 'Nothing: click on a box.' }));
}

// ---- Data flow ---------------------------------------------------------------------------------

function showGraph() {
  const svg = at('#graph svg');
  at('#data_flow').hidden = svg === null;
  if (svg === null) return;
  svg.querySelectorAll('title').forEach(t => t.remove());
  boxes.forEach((indices, i) => tie(svg.querySelector(`#box${i}`), indices));
  if (!has.zoom) return;
  const { width: drawnWidth, height: drawnHeight } = svg.viewBox.baseVal;
  const graph = svg.firstElementChild;
  const frame = document.createElementNS(svg.namespaceURI, 'g');
  svg.replaceChild(frame, graph);
  frame.append(graph);
  for (const name of ['viewBox', 'width', 'height']) svg.removeAttribute(name);
  svg.classList.add('zoomable');
  const [width, height] = [svg.clientWidth, svg.clientHeight];
  const fit = Math.min(width / drawnWidth, height / drawnHeight);
  const zoom = d3.zoom().extent([[0, 0], [width, height]])
    .scaleExtent([Math.min(fit, 1) / 2, 8])
    .on('zoom', () => frame.setAttribute('transform', d3.event.transform));
  const all = d3.zoomIdentity.translate((width - fit * drawnWidth) / 2, 0).scale(fit);
  const surface = d3.select(svg).call(zoom);
  surface.on('dblclick.zoom', () => surface.call(zoom.transform, all));
  // At first all where it can be read, or else what is near the input, as wide as the panel.
  const near = fit > 0.7 ? Math.min(1.2, fit) : Math.max(fit, Math.min(1.2, width / drawnWidth));
  surface.call(zoom.transform,
    d3.zoomIdentity.translate((width - near * drawnWidth) / 2, 0).scale(near));
  // On paper all of it, as large as its place is there.
  let onScreen;
  addEventListener('beforeprint', () => {
    onScreen = frame.getAttribute('transform');
    frame.removeAttribute('transform');
    svg.setAttribute('viewBox', `0 0 ${drawnWidth} ${drawnHeight}`);
    svg.setAttribute('preserveAspectRatio', 'xMidYMin');
  });
  addEventListener('afterprint', () => {
    frame.setAttribute('transform', onScreen);
    for (const name of ['viewBox', 'preserveAspectRatio']) svg.removeAttribute(name);
  });

  let shown = null;
  views.push(() => {  // brings what is selected into view
    const index = [...state.selected][0];
    if (index === shown || index === undefined) return;
    shown = index;
    const node = svg.querySelector(`#box${stages[index].rows[0].box}`);
    const panel = svg.getBoundingClientRect();
    const { left, top, right, bottom } = node.getBoundingClientRect();
    if (left >= panel.left && right <= panel.right && top >= panel.top && bottom <= panel.bottom)
      return;
    const { k } = d3.zoomTransform(svg);
    surface.transition().duration(300).call(zoom.translateBy,
      ((panel.left + panel.right) / 2 - (left + right) / 2) / k,
      ((panel.top + panel.bottom) / 2 - (top + bottom) / 2) / k);
  });
}

// ---- Colours of the boxes, search --------------------------------------------------------------

// Of each box 0 to 1 in the colour of what is bad, or null for its unit's colour.
const heat = {
  unit: () => null,
  cycles: (() => {
    const of = boxes.map(indices => indices.reduce((sum, i) => sum + stages[i].own, 0));
    const most = Math.max(1, ...of);
    return box => of[box] / most;
  })(),
  error: box => {
    const found = errors.filter(e => e.snr !== null &&
      boxes[box].some(i => stages[i].layers.has(e.name)));
    return found.length ? Math.min(1, Math.max(0, (50 - Math.min(...found.map(e => e.snr))) / 50))
      : 0;
  } };

function paintBoxes(by) {
  boxes.forEach((_, i) => {
    const node = at(`#graph #box${i}`), hot = heat[by](i);
    node?.classList.toggle('heated', hot !== null);
    node?.style.setProperty('--heat', `${Math.round(100 * (hot ?? 0))}%`);
  });
}

function showSearch() {
  const menu = at('#paint'), field = at('#search');
  if (errors.length === 0) menu.querySelector('[value=error]').remove();
  menu.onchange = () => paintBoxes(menu.value);
  const names = stages.map(s => [s.name, ...s.layers, ...s.rows.flatMap(r => r.nodes ?? [])]
    .join(' ').toLowerCase());
  field.oninput = () => {
    const wanted = field.value.trim().toLowerCase();
    const found = wanted === '' ? [] : stages.filter(s => names[s.index].includes(wanted));
    select(found.map(s => s.index));
    at('#found').textContent = wanted === '' ? '' : `${found.length} of ${stages.length} stages`;
  };
}

// ---- Start --------------------------------------------------------------------------------------

showFigures();
showMissing();
showTables();
showConfusion();
showProvenance();
showGraph();
showSearch();
showPlots();
views.push(showDetails);
showDetails();
