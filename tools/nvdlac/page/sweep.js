// SPDX-License-Identifier: Apache-2.0
// The page of `nvdlac sweep`: a table of networks and configurations for the measure that is
// chosen, and all that is known of the selected item.
const { columns, rows } = report;
const column = new Map(columns.map((name, i) => [name, i]));
const cell = (row, name) => row[column.get(name)];
const unique = name => [...new Set(rows.map(row => cell(row, name)))];
const configurations = unique('configuration'), networks = unique('network');
const formOf = row => `${cell(row, 'precision')}, schedule ${cell(row, 'schedule')}`;
const forms = [...new Set(rows.map(formOf))];
const isNumber = text => text !== '' && Number.isFinite(Number(text));
const measures = columns.filter(name => rows.some(row => cell(row, name) !== '') &&
  rows.every(row => cell(row, name) === '' || isNumber(cell(row, name))));
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 4 });
const said = text => isNumber(text) ? number.format(Number(text)) : text;
const items = new Map(rows.map(row =>
  [JSON.stringify([cell(row, 'network'), cell(row, 'configuration'), formOf(row)]), row]));
let selected = null;

function select(row) {
  selected = row;
  at('#details').replaceChildren(element('table', {}, ...columns
    .filter(name => cell(row, name) !== '').map(name => element('tr', {},
      element('th', {}, name.replaceAll('_', ' ')), element('td', {}, said(cell(row, name)))))));
  document.querySelectorAll('#results td').forEach(td =>
    td.classList.toggle('selected', td.row === row));
}

function itemCell(row, measure, most) {
  if (!row) return element('td');
  const failed = cell(row, 'result') !== 'done', text = cell(row, measure);
  const td = element('td', { row, className: failed ? 'failed' : '', onclick: () => select(row),
    title: failed ? cell(row, 'reason') : '' }, failed ? cell(row, 'result') : said(text));
  if (!failed && text !== '' && most > 0)
    td.style.background = colour('CONV', 0.45 * Math.max(0, Number(text)) / most);
  td.classList.toggle('selected', row === selected);
  return td;
}

function draw() {
  const measure = at('#measure').value, form = forms[at('#form').selectedIndex];
  const sought = at('#search').value.toLowerCase();
  at('#results tbody').replaceChildren(...networks
    .filter(name => name.toLowerCase().includes(sought)).map(name => {
      const ofNetwork = configurations.map(c => items.get(JSON.stringify([name, c, form])));
      const most = Math.max(...ofNetwork.map(row => row ? Number(cell(row, measure)) : 0));
      return element('tr', {}, element('th', {}, name),
        ...ofNetwork.map(row => itemCell(row, measure, most)));
    }));
}

const results = new Map();
for (const row of rows)
  results.set(cell(row, 'result'), (results.get(cell(row, 'result')) ?? 0) + 1);
at('#title').textContent = report.title;
document.title = `${report.title} – nvdlac sweep`;
figure(whole.format(networks.length), 'networks');
figure(whole.format(configurations.length), 'configurations');
for (const [result, count] of results) figure(whole.format(count), `items ${result}`);
at('#results thead').append(element('tr', {}, element('th', {}, 'network'),
  ...configurations.map(name => element('th', {}, name))));
at('#measure').append(...measures.map(name =>
  element('option', { value: name }, name.replaceAll('_', ' '))));
at('#form').append(...forms.map(name => element('option', {}, name)));
for (const control of ['#measure', '#form', '#search']) at(control).oninput = draw;
at('#theme').addEventListener('click', draw);
draw();
