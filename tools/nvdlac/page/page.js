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
  if (measured) {
    const taken = measured.layers.reduce((sum, m) => sum + m.cycles_taken, 0);
    figure(whole.format(taken), `cycles taken by the layers on ${measured.device} at ` +
      `${measured.clock_megahertz} MHz`, 'From interrupt to interrupt, in cycles of the clock ' +
      `that --clock tells; each layer's median of ${measured.runs} runs`);
  }
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

// The files it was made from, and the hardware it was made for.
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
      ? ` of the values of ${s.count} ${s.count === 1 ? 'input' : 'inputs'}`
      : s.count === 1 ? '' : ` of ${s.count} files`));
  add('options', from.options.join(' '));
  const details = element('details', {},
    element('summary', { textContent: 'What it was made from' }),
    element('table', {}, ...rows));
  at('#tables').append(element('section', { id: 'provenance' }, details));
  let opened;
  addEventListener('beforeprint', () => { opened = details.open; details.open = true; });
  addEventListener('afterprint', () => { details.open = opened; });
}

// The classes that were found for each class, and the inputs that are wrong or changed.
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

// So many rows of a table are printed: a page.
const printedRows = 65;

// Rows of a table in a tree: groups of the network's names, and of a layer in several stages its
// parts. What has not room on a page is folded, the inner ones first. A single group is left open:
// beside it there is little to see.
const singleGroup = groups.length === 1;
function layerTree() {
  const root = { children: [], depth: -1, open: true };
  const found = new Map();
  const inner = (key, parent, label, title, open = false) => {
    if (!found.has(key)) {
      found.set(key, { parent, label, title, depth: parent.depth + 1, open, rows: [],
        children: [] });
      parent.children.push(found.get(key));
    }
    return found.get(key);
  };
  for (const row of layers) {
    const outer = groupsOf(row), first = stages[boxes[row.box][0]].rows[0].layer;
    let at = root;
    for (const g of outer)
      at = inner(`group ${g.index}`, at, within(g.outer.at(-1), g.name), g.name, singleGroup);
    if (boxes[row.box].length > 1)
      at = inner(`box ${row.box}`, at, within(outer.at(-1), first), first);
    at.children.push({ row, parent: at, depth: at.depth + 1,
      label: within(outer.at(-1), row.name), title: row.name });
    for (let n = at; n !== root; n = n.parent) n.rows.push(row);
  }
  const nodes = [];  // in the order in which they stand
  const walk = node => node.children.forEach(c => { nodes.push(c); if (c.children) walk(c); });
  walk(root);
  const folds = nodes.filter(n => n.children && !n.open);
  let visible = root.children.length +
    nodes.reduce((sum, n) => sum + (n.open ? n.children.length : 0), 0);
  for (let depth = 0; folds.some(n => n.depth >= depth); ++depth) {
    const these = folds.filter(n => n.depth === depth);
    visible += these.reduce((sum, n) => sum + n.children.length, 0);
    if (visible > printedRows) break;
    these.forEach(n => { n.open = true; });
  }
  const isShown = node => node.parent === root || (node.parent.open && isShown(node.parent));
  return { nodes, isShown };
}

// A table of columns [title, value of a row, printed (numbers only)]; a title sorts. `named` are
// columns of layers' names, which are shortened. Paper has no room for the columns `onScreen`, and
// wraps those that are `wrapped`. With a tree, which the first title restores, its inner nodes have
// rows of their own, with the sums.
function table(title, rows, columns, { tied = null, open = false, sums = null, onScreen = [],
  named = [], wrapped = [], tree = null } = {}) {
  if (rows.length === 0) return;
  const looks = ([name, , print]) =>
    (print ? 'number' : '') + (onScreen.includes(name) ? ' on_screen' : '') +
    (wrapped.includes(name) ? ' wrapped' : '');
  const sum = (of, [, value, print]) => print(of.reduce((all, row) => all + value(row), 0));
  const body = element('tbody');
  const lineOf = row => {
    const line = element('tr', {}, ...columns.map(column => {
      const [name, value, print] = column;
      const said = print ? print(value(row)) : String(value(row));
      return named.includes(name)
        ? element('td', { className: looks(column), textContent: shortOf(said), title: said })
        : element('td', { className: looks(column), textContent: said });
    }));
    if (tied !== null) tie(line, ...tied(row));
    return { row, line };
  };
  const lines = tree ? [] : rows.map(lineOf);
  const showTree = () => tree.nodes.forEach(n => {
    n.line.hidden = !tree.isShown(n);
    n.cell.style.paddingLeft = `${8 + 14 * n.depth}px`;
    n.cell.textContent = n.row ? n.label : `${n.label}, ${whole.format(n.children.length)}` +
      (n.children[0].row && n.children.length > 1 ? ' parts' : ' inside');
    n.cell.title = n.title;
    if (n.fold) n.fold.textContent = n.open ? '▾' : '▸';
  });
  const toTree = () => {
    body.replaceChildren(...tree.nodes.map(n => n.line));
    showTree();
  };
  for (const n of tree?.nodes ?? []) {
    if (n.row) {
      lines.push(lineOf(n.row));
      n.line = lines.at(-1).line;
    } else {
      n.fold = element('button', { type: 'button', className: 'fold', title: 'fold, unfold' });
      n.fold.onclick = event => {
        event.stopPropagation();
        n.open = !n.open;
        showTree();
      };
      n.line = element('tr', { className: 'group' }, ...columns.map((column, i) =>
        element('td', { className: looks(column), textContent: sums.includes(column[0])
          ? sum(n.rows, column) : '' }, i === 0 ? n.fold : null)));
      tie(n.line, [...new Set(n.rows.map(r => r.stage))]);
    }
    n.cell = n.line.children[1];
  }
  if (tree) toTree();
  else body.append(...lines.map(l => l.line));
  let sorted = null;
  const head = element('tr', {}, ...columns.map((column, i) => {
    const [name, value] = column;
    const cell = element('th', { textContent: name, className: looks(column) });
    cell.onclick = () => {
      const down = sorted === name;
      sorted = down ? null : name;
      if (tree && i === 0) return toTree();
      const key = l => value(l.row) ?? Infinity;
      lines.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
      body.replaceChildren(...lines.map(l => l.line));
      if (tree) lines.forEach(l => {
        l.line.hidden = false;
        Object.assign(l.line.children[1], { textContent: shortRow(l.row), title: l.row.name });
        l.line.children[1].style.paddingLeft = '';
      });
    };
    return cell;
  }));
  const remark = element('p', { className: 'printed' });
  at('#tables').append(element('section', {}, element('details', { open },
    element('summary', { textContent: title }), remark,
    element('div', { className: 'rows' },
      element('table', {}, element('thead', {}, head), body, sums && element('tfoot', {},
        element('tr', {}, ...columns.map((column, i) => element('th', {
          className: looks(column), textContent: i === 0 ? 'sum'
            : sums.includes(column[0]) ? sum(rows, column) : '' })))))))));
  addEventListener('beforeprint', () => {
    const shown = [...body.children].filter(line => !line.hidden);
    shown.forEach((line, i) => line.classList.toggle('unprinted', i >= printedRows));
    remark.textContent = shown.length > printedRows
      ? `The first ${printedRows} of ${whole.format(shown.length)} rows; a browser shows all.`
      : shown.length < body.children.length ? 'Groups are folded as in the browser.' : '';
  });
}

// The fate of a layer of the file.
const fates = { hardware: 'hardware layers', host: 'a layer of the host',
  view: 'nothing: it is read where it stands', gone: 'nothing: no output depends on it' };
const fateOf = n => n.part_of ? `part of ${n.part_of}${n.became === 'host' ? ', on the host' : ''}`
  : fates[n.became];

// Measured cycles; nothing is measured for layers of the host.
const takenBy = row => row.measured?.cycles_taken ?? 0;

function showTables() {
  const count = x => whole.format(x);
  table('Layers', layers, [['#', r => r.index, count], ['layer', r => r.name],
    ['unit', r => r.unit], ['input', r => shape(r.input)], ['output', r => shape(r.output)],
    ['MACs', r => r.macs, count], ['read', r => r.bytes_read, count],
    ['written', r => r.bytes_written, count], ['start', r => r.cycles.start, count],
    ['behind', r => r.cycles.behind, count], ['cycles', r => r.cycles.own, count],
    ...measured ? [['taken', takenBy, count],
      ['ratio', r => takenBy(r) / Math.max(1, r.cycles.own), real]] : [],
    ['share', r => r.cycles.own / Math.max(1, total), x => `${(100 * x).toFixed(1)} %`],
    ['at least', r => r.cycles.at_least, count], ['limited by', r => r.cycles.limited_by],
    ['waits', r => r.cycles.waiting, count], ['in', r => r.cycles.waits_in], ['what', r => r.what]],
    { tied: r => [[r.stage]], open: true, tree: layerTree(),
      sums: ['MACs', 'read', 'written', 'cycles', 'taken', 'share'],
      onScreen: ['behind', 'at least', 'waits', 'in'], wrapped: ['layer', 'what'] });
  table('Layers of the file', nodes, [['layer', n => n.name], ['operator', n => n.operator],
    ['became', n => fateOf(n)], ['hardware layers', n => n.layers.length, count],
    ['cycles', n => n.layers.reduce((sum, i) => sum + layers[i].cycles.own, 0), count]],
    { tied: n => [[...new Set(n.layers.map(i => layers[i].stage))], n.part_of ?? n.name],
      named: ['layer'] });
  table('Errors of layers', errors, [['layer', e => e.name],
    ['SNR of its own, dB', e => e.snr_of_its_own, real], ['SNR of all, dB', e => e.snr, real],
    ['cosine', e => e.cosine, real], ['dB lost by its scale', e => e.lost_by_its_scale, real]],
    { named: ['layer'] });
  table('Outputs', verified?.outputs ?? [], [['output', o => o.name],
    ['largest error', o => o.largest_error, real], ['mean error', o => o.mean_error, real],
    ['SNR, dB', o => o.snr, real], ['cosine', o => o.cosine, real]]);
  table('Scales', [...scales], [['layer', s => s[0]], ['scale', s => s[1].scale, real],
    ['stands for 0', s => s[1].zero, count],
    ['range in the scale table', s => ranges.get(s[0]), x => x === undefined ? '' : real(x)]],
    { named: ['layer'] });
  table('Weights', report.weights, [['layer', w => w.layer], ['channels', w => w.channels, count],
    ['smallest channel', w => w.quartiles[0], real], ['median', w => w.quartiles[2], real],
    ['largest channel', w => w.quartiles[4], real]], { named: ['layer'] });
  table('Feature memory', report.memory.buffers, [['buffer', b => b.name],
    ['bytes', b => b.bytes, count], ['offset', b => b.offset, count],
    ['from layer', b => b.first_layer, count], ['to layer', b => b.last_layer, count]]);
  table('Changes of order', report.conversions, [['layer', c => c.layer],
    ['from', c => c.from.map(f => `${f.layer} ${shape(f.shape)}`).join(', ')],
    ['to', c => shape(c.to)], ['layers', c => c.layers, count], ['cycles', c => c.cycles, count],
    ['why it is there', c => c.why]]);
  table('Read more than once', report.reads.repeated, [['buffer', r => r.buffer],
    ['bytes', r => r.bytes, count], ['read', r => r.read, count],
    ['by', r => r.readers.map(own => own.layer + (own.why ? `: ${own.why}` : '')).join('; ')]]);
  table('Remarks', report.remarks, [['layer', r => r.layer], ['remark', r => r.text]]);
}

function showDetails() {
  const rows = [];
  const add = (what, value) => rows.push(element('tr', {}, element('th', { textContent: what }),
    element('td', { textContent: value })));
  const chosen = [...state.selected].map(index => stages[index]);
  if (chosen.length > 1) {
    const all = of => chosen.reduce((sum, s) => sum + of(s), 0);
    add('parts', `${whole.format(chosen.length)}, in cycles ` +
      `${whole.format(Math.min(...chosen.map(s => s.start)))} to ` +
      `${whole.format(Math.max(...chosen.map(s => s.done)))}`);
    add('all of them', `${whole.format(all(s => s.own))} cycles of their own, ` +
      `${share(all(s => s.own) / Math.max(1, total))} of all; ${whole.format(all(s => s.macs))} ` +
      `MACs; ${bytes(all(s => s.read))} read, ${bytes(all(s => s.written))} written`);
  }
  const told = 8;  // one by one
  if (chosen.length > told) add('the first', `${told} of them:`);
  for (const s of chosen.slice(0, told)) {
    for (const r of s.rows)
      add(r.unit, `${r.name}: ${shape(r.input)} → ${shape(r.output)}` +
        (r.what ? `, ${r.what}` : ''));
    add('cycles', `${whole.format(s.own)} of its own, ${share(s.own / Math.max(1, total))} of all` +
      (s.bound ? `; at least ${whole.format(s.bound)} (${s.limit}); waits ` +
      `${whole.format(s.waiting)} in ${s.rows[0].cycles.waits_in}` : ''));
    add('from', `${whole.format(s.start)} to ${whole.format(s.done)}, of that ` +
      `${whole.format(s.behind)} behind the one before`);
    for (const { measured: m } of s.rows.filter(r => r.measured))
      add(`on ${measured.device}`, `${m.engine}: ${whole.format(m.cycles_taken)} cycles` +
        Object.entries(m.counters).filter(([, n]) => n)
          .map(([name, n]) => `; ${name.replace('D_PERF_', '')} ${whole.format(n)}`).join(''));
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

// The pictures of the data flow: all boxes, and with groups folded. Of each what can be clicked,
// with its stages; boxes and folded groups stand before frames.
const drawings = [...document.querySelectorAll('#graph svg')].map(svg => {
  const level = /^fold(\d+)_/.exec(svg.querySelector('.node').id);
  const find = id => svg.querySelector(`[id="${level ? level[0] : ''}${id}"]`);
  const parts = [...boxes.map((indices, i) => ({ e: find(`box${i}`), indices,
    name: stages[indices[0]].rows[0].layer })),
  ...groups.map(g => ({ e: find(`group${g.index}`), indices: [...g.stages], name: g.name }))]
    .filter(part => part.e !== null);
  return { svg, parts, count: svg.querySelectorAll('.node').length };
});
let shownDrawing = null;

function showGraph() {
  at('#data_flow').hidden = drawings.length === 0;
  at('#folded').hidden = at('#folding').hidden = drawings.length < 2;
  if (drawings.length === 0) return;
  const menu = at('#fold');
  drawings.forEach((drawing, i) => {
    drawing.svg.querySelectorAll('title').forEach(t => t.remove());
    for (const { e, indices, name } of drawing.parts) {
      const title = document.createElementNS(drawing.svg.namespaceURI, 'title');
      title.textContent = name;
      e.append(title);
      tie(e, indices);
      if (e.matches('.group')) e.addEventListener('dblclick', event => {
        event.stopPropagation();
        menu.value = i - 1;
        menu.onchange();
      });
    }
    menu.append(element('option', { value: i,
      textContent: `${i === 0 ? 'all layers' : 'groups folded'}: ${drawing.count} boxes` }));
  });
  menu.onchange = () => showDrawing(drawings[menu.value]);
  // As much as can still be read.
  const legible = 80, first = drawings.findIndex(d => d.count <= legible);
  menu.value = singleGroup ? 0 : first < 0 ? drawings.length - 1 : first;
  menu.onchange();
  views.push(bringIntoView);
}

let broughtIntoView = null;
function showDrawing(drawing) {
  shownDrawing = drawing;
  for (const d of drawings) d.svg.classList.toggle('away', d !== drawing);
  if (has.zoom && !drawing.zoom) makeZoomable(drawing);
  broughtIntoView = null;
  refresh();
}

function bringIntoView() {
  const { svg, zoom, parts } = shownDrawing, index = [...state.selected][0];
  if (!zoom || index === broughtIntoView || index === undefined) return;
  broughtIntoView = index;
  const panel = svg.getBoundingClientRect();
  const { left, top, right, bottom } =
    parts.find(part => part.indices.includes(index)).e.getBoundingClientRect();
  if (left >= panel.left && right <= panel.right && top >= panel.top && bottom <= panel.bottom)
    return;
  const { k } = d3.zoomTransform(svg);
  d3.select(svg).transition().duration(300).call(zoom.translateBy,
    ((panel.left + panel.right) / 2 - (left + right) / 2) / k,
    ((panel.top + panel.bottom) / 2 - (top + bottom) / 2) / k);
}

function makeZoomable(drawing) {
  const { svg } = drawing;
  const { width: drawnWidth, height: drawnHeight } = svg.viewBox.baseVal;
  const graph = svg.firstElementChild;
  const frame = document.createElementNS(svg.namespaceURI, 'g');
  svg.replaceChild(frame, graph);
  frame.append(graph);
  for (const name of ['viewBox', 'width', 'height']) svg.removeAttribute(name);
  svg.classList.add('zoomable');
  const [width, height] = [svg.clientWidth, svg.clientHeight];
  const fit = Math.min(width / drawnWidth, height / drawnHeight);
  const zoom = drawing.zoom = d3.zoom().extent([[0, 0], [width, height]])
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
}

// ---- Colours of the boxes, search --------------------------------------------------------------

// Heat of stages, 0 to 1 in the colour of what is bad, or null for their unit's colour; `most` are
// the cycles of the hottest beside them.
const ownOf = indices => indices.reduce((sum, i) => sum + stages[i].own, 0);
const heat = {
  unit: () => null,
  cycles: (indices, most) => ownOf(indices) / most,
  error: indices => {
    const found = errors.filter(e => Number.isFinite(e.snr) &&
      indices.some(i => stages[i].layers.has(e.name)));
    return found.length ? Math.min(1, Math.max(0, (50 - Math.min(...found.map(e => e.snr))) / 50))
      : 0;
  } };

function paintBoxes(by) {
  for (const { parts } of drawings) {
    const painted = parts.filter(part => part.e.matches('.node'));
    const most = Math.max(1, ...painted.map(part => ownOf(part.indices)));
    for (const { e, indices } of painted) {
      const hot = heat[by](indices, most);
      e.classList.toggle('heated', hot !== null);
      e.style.setProperty('--heat', `${Math.round(100 * (hot ?? 0))}%`);
    }
  }
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
