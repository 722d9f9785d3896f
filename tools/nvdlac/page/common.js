// SPDX-License-Identifier: Apache-2.0
// What the pages of a product, of explore and of two loadables share; it stands in front of their
// scripts. Texts of the report enter the page as text only.
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

// What a custom property of the style is now.
const probe = document.body.appendChild(element('i', { hidden: true }));
function colour(name, alpha = 1) {
  probe.style.color = `var(--${name})`;
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g);
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
