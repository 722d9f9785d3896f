// SPDX-License-Identifier: Apache-2.0
// Functions that all pages share; they stand in front of their scripts. Texts of the report enter a
// page as text only.
'use strict';
const report = JSON.parse(document.getElementById('report').textContent);
const at = selector => document.querySelector(selector);
function element(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children.filter(c => c !== null));
  return e;
}
const whole = new Intl.NumberFormat('en');
const unitOf = row => ['CONV', 'SDP', 'PDP', 'CDP', 'RUBIK'].includes(row.unit) ? row.unit : 'HOST';

// The present value of a custom property of the style.
const probe = document.body.appendChild(element('i', { hidden: true }));
function colour(name, alpha = 1) {
  probe.style.color = `var(--${name})`;
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g);
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

// ---- The head ----------------------------------------------------------------------------------

function figure(value, what, meaning = '') {
  at('#figures').append(element('li', { title: meaning },
    element('b', {}, value), element('span', {}, what)));
}
// Parts that the page does without, and what brings them.
function showMissing() {
  if (report.missing.length === 0) return;
  at('#missing').hidden = false;
  const packages = report.missing.flatMap(m => m.package ?? []);
  at('#missing').textContent = report.missing.map(m => `No ${m.what}: ` +
    (m.package ? `${m.package} was not found.` : `${m.failure}.`)).join(' ') +
    (packages.length === 0 ? '' : ` To have it, apt install ${packages.join(' ')} and write the ` +
      'page again.');
}
at('#theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});
