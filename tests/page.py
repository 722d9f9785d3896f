#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks at the pages of compile, verify and explore (`--html`) in a headless Chromium.

page.py NVDLAC EXAMPLES BOARD [SCREENSHOT]
    BOARD: the library that stands for the files of a board with nv_small; empty where there is none
    exit code 77 where Chromium, its driver or what the pages embed are absent
"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NEEDED = {'chromium': '/usr/bin/chromium', 'chromium-driver': '/usr/bin/chromedriver',
          'libjs-chart.js': '/usr/share/javascript/chart.js/chart.min.js',
          'node-d3-zoom': '/usr/share/nodejs/d3-zoom/dist/d3-zoom.min.js',
          'graphviz': '/usr/bin/dot'}
FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync',
         '--window-size=1400,1000']
HOSTILE = ['</script><script>window.injected = 1</script>', '<img src=x onerror="injected = 1">',
           '<!-- <script>', '__proto__', 'constructor', '{{script}}', '\\"];injected = 1;["',
           'Relu;' + 30 * 'model/', '&lt;b&gt;', "');injected = 1;('"]


def skip(reason):
    print(f'skipped: {reason}; `tools/setup ci` installs what is missing')
    sys.exit(77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
except ImportError:
    if sys.executable != '/usr/bin/python3' and shutil.which('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])  # Debian's has it
    skip('Python has no selenium (python3-selenium)')


def expect(condition, what):
    if not condition:
        sys.exit(f'{what} does not hold')


class Page:
    """A page in the browser."""

    def __init__(self, driver, path):
        self.driver = driver
        driver.get(path.as_uri())
        self.settle()

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self):
        """Waits for two frames, in which views show what has changed."""
        self.driver.execute_async_script(
            'const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))')

    def find(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def is_clean(self):
        log = self.driver.get_log('browser')
        expect(log == [], f'no message of the console: {log}')
        loaded = self.run('return performance.getEntriesByType("resource").map(e => e.name)')
        expect(loaded == [], f'nothing is loaded: {loaded}')

    def act(self, actions):
        actions.perform()
        self.settle()

    def at_bar(self, number):
        """The middle of a layer's bar in the timeline, from the middle of the canvas."""
        canvas = self.find('#timeline canvas')[0]
        self.run('arguments[0].scrollIntoView({block: "center"})', canvas)
        x, y = self.run('const p = plots[0].getDatasetMeta(1).data[arguments[0]].getCenterPoint();'
                        'const c = plots[0].canvas; return [p.x - c.clientWidth / 2, '
                        'p.y - c.clientHeight / 2]', number)
        return canvas, round(x), round(y)

    def selected(self):
        return self.run('return [...state.selected].sort((a, b) => a - b)')


def leaves_room(page):
    areas = page.run('return plots.map(p => [p.chartArea.width, p.chartArea.height])')
    expect(len(areas) > 4 and all(width > 650 and height > 100 for width, height in areas),
           'axes leave the plots room')


def look(page):
    """All views are there, and tied together."""
    for view in ('data_flow', 'timeline', 'roofline', 'memory', 'errors', 'activations', 'weights'):
        expect(page.find(f'#{view}')[0].is_displayed(), f'there is a view {view}')
    leaves_room(page)
    count = page.run('return layers.length')
    expect(len(page.find('#tables section:first-child tbody tr:not(.group)')) == count,
           'a row for each layer')
    expect(len(page.find('#graph .node')) == page.run(
        'return boxes.length + report.inputs.length + report.outputs.length'), 'a box for each')
    expect(page.driver.title == 'digits on nv_small', 'a title')
    total = page.run('return report.prediction.cycles')
    expect(page.run('return layers.reduce((sum, r) => sum + r.cycles.own, 0)') == total and
           f'{total:,}' in page.find('#tables section:first-child tfoot')[0].get_attribute(
               'textContent'), "the layers' own cycles are the program's")
    expect(page.run('const { macs_per_cycle: m, bytes_per_cycle: b } = report.hardware;'
                    'return stages.filter(s => s.macs).every(s => s.macs / s.busy <= m && '
                    's.macs / s.busy <= b * s.macs / Math.max(s.read, s.written) * 1.001)'),
           'no stage is above the roof')
    expect('of the loadable' in page.find('#figures li:first-child')[0].text, 'a tile says of what')
    expect(page.find('#figures li')[0].get_attribute('title'), 'and what it means')
    provenance = page.find('#provenance')[0].get_attribute('textContent')
    expect('SHA-256' in provenance and '--config=nv_small' in provenance, 'what it was made from')
    expect(len(page.find('#matrix tr')) == 11 and len(page.find('#matrix .right')) == 10,
           'the classes are a matrix')

    page.run('const f = at("#search"); f.value = "relu2"; f.oninput()')
    page.settle()
    found = page.run(
        'return [...new Set(layers.filter(r => r.nodes.includes("relu2")).map(r => r.stage))]')
    expect(page.selected() == found != [], "a layer's name in the file finds its stages")
    expect('relu2' in page.find('#details')[0].text, 'which tell the layers of the file')
    page.run('at("#paint").value = "cycles"; at("#paint").onchange()')
    expect(page.find('#graph .heated'), 'boxes are coloured by cycles')
    page.run('at("#paint").value = "unit"; at("#paint").onchange()')
    page.run('const f = at("#search"); f.value = ""; f.oninput()')
    page.settle()

    stage = page.run('return layers[0].stage')
    actions = ActionChains(page.driver)
    page.act(actions.move_to_element(page.find('#box0')[0]))
    expect(len(page.find('tr.hovered')) > 0, 'a box marks the rows of its layers')
    expect(page.run('const p = plots[0].getDatasetMeta(1).data[0].options.backgroundColor;'
                    'return p === colour("selected")'), 'a box marks the bars of its layers')
    page.act(actions.click())
    expect(stage in page.selected(), 'a click on a box selects it')

    last = page.run('return layers.findLastIndex(r => r.unit === "CONV")')
    canvas, x, y = page.at_bar(last)
    page.act(ActionChains(page.driver).move_to_element_with_offset(canvas, x, y).click())
    expect(page.selected() == [page.run('return layers[arguments[0]].stage', last)],
           'a click on a bar selects its layer')
    box = page.run('return layers[arguments[0]].box', last)
    expect('selected' in page.find(f'#box{box}')[0].get_attribute('class'), 'and its box')
    expect(page.run('return layers[arguments[0]].name', last) in page.find('#details')[0].text,
           'and shows what it is')
    expect(page.find('#activations select')[0].get_attribute('value') == page.run(
        'return state.layer'), 'and its histogram')

    ranges = 'return plots.slice(0, 2).map(p => [p.scales.x.min, p.scales.x.max])'
    page.run('const c = arguments[0], b = c.getBoundingClientRect();'
             'c.dispatchEvent(new WheelEvent("wheel", {deltaY: -500, ctrlKey: true, bubbles: true,'
             'cancelable: true, clientX: b.left + b.width / 2, clientY: b.top + 50}))', canvas)
    page.settle()
    timeline, memory = page.run(ranges)
    expect(timeline == memory and timeline[0] > 0, 'timeline and memory zoom together')

    paper = 'return getComputedStyle(document.body).backgroundColor'
    before = page.run(paper)
    page.run('scrollTo(0, 0)')
    page.act(ActionChains(page.driver).click(page.find('#theme')[0]))
    expect(page.run(paper) != before, 'the switch turns light and dark')
    printed = base64.b64decode(page.driver.execute_cdp_cmd(
        'Page.printToPDF', {'preferCSSPageSize': True, 'printBackground': True})['data'])
    expect(len(printed) > 10000 and len(re.findall(rb'/Type */Page\b', printed)) == 2 and
           re.search(rb'/MediaBox *\[ *0 0 59[45][.\d]* 84[12][.\d]* *\]', printed),
           'the page prints on two pages of A4')
    page.is_clean()


def look_at_measured(page):
    """What the layers took on a device stands in the head, the table and the selection."""
    taken = page.run('return report.measured.layers.map(m => m.cycles_taken)')
    expect(len(taken) == page.run('return layers.filter(r => r.measured).length') > 0 and
           sum(taken) > 0, 'layers of NVDLA are measured')
    head = ' '.join(e.text for e in page.find('#figures li'))
    expect(f'{sum(taken):,}' in head and 'taken by the layers on uio0 at 100 MHz' in head,
           f'the head tells their sum: {head}')
    table = '#tables section:first-child '
    titles = [h.get_attribute('textContent') for h in page.find(table + 'thead th')]
    expect('taken' in titles, f'a column of the table: {titles}')
    column = titles.index('taken')
    cells = [r.find_elements(By.CSS_SELECTOR, 'td, th')[column].get_attribute('textContent')
             for r in page.find(table + 'tbody tr:not(.group)')]
    shown = page.run('return layers.map(r => r.measured ? r.measured.cycles_taken : 0)')
    expect(sorted(int(c.replace(',', '') or 0) for c in cells) == sorted(shown),
           f'it has what each took: {cells}, {shown}')
    page.find(table + 'tbody tr:not(.group)')[0].click()
    page.settle()
    expect('on uio0' in page.find('#details')[0].text, 'the selection tells it')
    page.is_clean()


def look_at_groups(page):
    """Groups of names: frames and boxes of the data flow, rows of the table."""
    expect(page.run('return drawings.map(d => d.count)') == [8, 6, 5], 'a picture for each level')
    expect([g['name'] for g in page.run('return report.groups')] == ['/b', '/b/b.0', '/b/b.1'],
           'the groups of the names')
    expect(page.run('return report.groups[0].cycles === layers.filter(r => '
                    'r.layer.startsWith("/b/")).reduce((sum, r) => sum + r.cycles.own, 0)'),
           'a group has the cycles of its layers')
    shown = '#graph svg:not(.away) '
    expect(len(page.find(shown + '.frame')) == 3, 'frames around boxes')
    expect(page.find('#box1 title')[0].get_attribute('textContent') == '/b/b.0/c0',
           'over a short name stands all of it')
    page.run('at("#fold").value = 1; at("#fold").onchange()')
    page.settle()
    folded = page.find(shown + '.node.group')
    expect(len(folded) == 2 and all('2 layers, ' in e.text for e in folded),
           'folded groups are boxes with their share')
    page.act(ActionChains(page.driver).move_to_element(folded[0]).click())
    of_group = page.run('return [...groups[1].stages].sort((a, b) => a - b)')
    expect(page.selected() == of_group and len(of_group) > 1, 'a click selects all of a group')
    expect('cycles of their own' in page.find('#details')[0].text, 'and tells their sum')
    page.act(ActionChains(page.driver).double_click(folded[0]))
    expect(page.find(shown + '#box1'), 'a double click unfolds')

    table = '#tables section:first-child '

    def rows():
        return [r for r in page.find(table + 'tbody tr') if r.is_displayed()]
    count = len(rows())
    first = [r for r in page.find(table + 'tr.group') if 'b.0' in r.text][0]
    first.find_element(By.CSS_SELECTOR, '.fold').click()
    expect(len(rows()) < count and ' %' in first.text, 'a row of a group folds what is in it')
    page.find(table + 'thead th')[1].click()
    expect(len(rows()) == page.run('return layers.length') and not page.find(table + 'tr.group'),
           'sorted by another column all layers are there')
    page.find(table + 'thead th')[0].click()
    first.find_element(By.CSS_SELECTOR, '.fold').click()
    expect(len(rows()) == count, 'and the first one brings the groups back')
    page.is_clean()


def look_at_single_group(page):
    """A single group is not folded, and nothing of the table is cut on paper."""
    expect(page.run('return groups.length') == 1 and
           page.run('return layers.length') > page.run('return printedRows'),
           'there is one group, of more rows than a page has')
    shown = [r for r in page.find('#tables section:first-child tbody tr') if r.is_displayed()]
    expect(len(shown) > page.run('return new Set(layers.map(r => r.layer)).size'),
           'a row of each layer of the network is shown, and its own')
    expect(page.run('return at("#fold").value') in ('0', ''), 'and all its boxes')
    paper = round((210 - 2 * 11) / 25.4 * 96)  # pixels between the margins of page.css
    page.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': 'print'})
    page.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
        'width': paper, 'height': 1000, 'deviceScaleFactor': 1, 'mobile': False})
    page.settle()
    right = page.run('return document.querySelector("#tables .rows table")'
                     '.getBoundingClientRect().right')
    page.driver.execute_cdp_cmd('Emulation.clearDeviceMetricsOverride', {})
    page.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': ''})
    expect(right <= paper, f'the table of layers ends on the paper: {right} of {paper} pixels')
    page.is_clean()


def look_at_front(page):
    """The plot of `explore` and its table are tied, and the C++ is that of what was clicked."""
    expect(page.find('#front canvas')[0].is_displayed(), 'there is a plot')
    front = page.run('return front.length')
    expect(front > 0 and len(page.find('#tables tbody tr')) == front, 'a row for each of the front')
    expect(page.run('return points.length') > front, 'and others')
    page.find('#tables tbody tr')[-1].click()
    page.settle()
    last = page.run('return front[front.length - 1].point')
    expect(f'struct explored_{last} ' in page.find('#header')[0].text, 'a row shows its C++')
    canvas = page.find('#front canvas')[0]
    page.run('arguments[0].scrollIntoView({block: "center"})', canvas)
    x, y = page.run('const p = chart.getDatasetMeta(0).data[0]; const c = chart.canvas;'
                    'return [p.x - c.clientWidth / 2, p.y - c.clientHeight / 2]')
    page.act(ActionChains(page.driver).move_to_element_with_offset(canvas, round(x), round(y)))
    told = page.run('return chart.tooltip.body.flatMap(b => b.lines).join(" ")')
    expect(all(word in told for word in ('cbuf_banks: ', 'cycles of the trace: ', 'limited by: ',
                                         'runs a second at 1,000 MHz: ')),
           f'a point tells what it is: {told}')
    expect(page.run('return chart.data.datasets[2].label') == 'base: nv_small',
           'the base is a ring')
    page.act(ActionChains(page.driver).click())
    first = page.run('return selected.point')
    expect(f'struct explored_{first} ' in page.find('#header')[0].text, 'a click shows its C++')
    page.run('document.execCommand = what => {window.copied = what + getSelection(); return true};'
             'Object.defineProperty(navigator, "clipboard", {value: {'
             'writeText: () => Promise.reject() }})')
    page.find('#copy')[0].click()
    page.settle()
    expect(f'struct explored_{first} ' in page.run('return copied'), 'the button copies it')
    page.run('at("#cost").value = "cbuf"; at("#cost").onchange()')
    expect(page.run('return chart.options.scales.x.title.text') == 'bytes of CBUF', 'other axes')
    page.is_clean()


def look_at_difference(page):
    """Two loadables: their layers beside each other, marked in both timelines."""
    expect(page.find('#timeline canvas')[0].is_displayed(), 'there are timelines')
    expect(len(page.find('#whole tr')) > 1, 'what changed of the whole')
    shown = len(page.find('#layers tbody tr'))
    expect(0 < shown < page.run('return rows.length'), 'the layers that changed')
    page.run('at("#which").value = "all"; at("#which").onchange()')
    expect(len(page.find('#layers tbody tr')) == page.run('return rows.length'), 'or all')
    expect(page.run('return a.layers.reduce((sum, l) => sum + l.cycles, 0) === a.cycles'),
           'own cycles add up')
    page.find('#layers tbody tr')[0].click()
    expect(page.run('return marked === rows[0].name'), 'a click marks a layer')
    page.is_clean()


def look_at_sweep(page):
    """The measures of `sweep`, items that failed, and all of the one that is selected."""
    def cells():
        return [c.text for c in page.find('#results tbody td')]
    cycles = page.run('return rows.map(row => cell(row, "cycles")).filter(c => c !== "")')
    expect(cells() == [f'{int(c):,}' for c in cycles] and len(cycles) == 2, f'cycles: {cells()}')
    expect([h.text for h in page.find('#results thead th')] == ['network', 'nv_small', 'nv_large'],
           'a column for each configuration')
    page.run('at("#measure").value = "macs"; at("#measure").oninput()')
    expect(cells()[0] == cells()[1] and cells()[0] != f'{int(cycles[0]):,}', 'another measure')
    first = page.find('#results tbody td')[0]
    first.click()
    expect('loadable bytes' in page.find('#details')[0].text and
           first.get_attribute('class') == 'selected', 'all that is known of an item')
    page.run('at("#form").selectedIndex = 1; at("#form").oninput()')
    expect(cells() == ['failed', 'failed'], 'another precision')
    page.find('#results tbody td')[0].click()
    expect('fp16' in page.find('#details')[0].text, 'why an item has failed')
    page.run('at("#search").value = "other"; at("#search").oninput()')
    expect(not page.find('#results tbody td'), 'networks by name')
    page.is_clean()


def main(nvdlac, examples, board, screenshot=None):
    for package, file in NEEDED.items():
        if not pathlib.Path(file).exists():
            skip(f'there is no {package}')
    digits = pathlib.Path(examples) / 'digits'
    calibration = ['--config', 'nv_small', '--calibration', digits / 'calibration.idx']
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def write(page, *command, **environment):
            subprocess.run([nvdlac, *command, '--html', folder / page], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, **environment})
            return folder / page

        verified = write('verified.html', 'verify', digits / 'digits.onnx', *calibration,
                         '--input', digits / 'images')
        measured = board and write(
            'measured.html', 'verify', digits / 'digits.onnx', *calibration, '--input',
            digits / 'images', '--device', 'uio0', '--clock', '100', LD_PRELOAD=board,
            NVDLAC_SHIM='nv_small', ASAN_OPTIONS='verify_asan_link_order=0')
        bare = write('bare.html', 'compile', digits / 'digits.onnx', *calibration,
                     NVDLAC_CHART_JS='/none', NVDLAC_D3_MODULES='/none', NVDLAC_DOT='/none')
        (folder / 'net.prototxt').write_text(chain(HOSTILE))
        hostile = write('hostile.html', 'verify', folder / 'net.prototxt', '--random-weights', '1',
                        *calibration, '--input', digits / 'images/3_a.pgm')

        (folder / 'groups.prototxt').write_text(chain(
            ['stem', '/b/b.0/c0', '/b/b.0/c1', '/b/b.1/c0', '/b/b.1/c1', 'head']))
        grouped = write('grouped.html', 'compile', folder / 'groups.prototxt', '--random-weights',
                        '1', *calibration)

        (folder / 'single.prototxt').write_text(chain(
            ['stem', *(f'/model/features/block_{i}/convolution/Conv' for i in range(40))], pad=1))
        single = write('single.html', 'compile', folder / 'single.prototxt', '--random-weights',
                       '1', *calibration)

        ranges = ['--range', 'cbuf_banks=4,8,16,32', '--range', 'mac_atomic_k=8,16']
        explored = write('front.html', 'explore', digits / 'digits.onnx', *calibration, *ranges)
        no_plot = write('no_plot.html', 'explore', digits / 'digits.onnx', *calibration, *ranges,
                        NVDLAC_CHART_JS='/none')

        for more, file in ([], 'a.nvdla'), (['--effort', '1', '--without', 'order'], 'b.nvdla'):
            subprocess.run([nvdlac, 'compile', digits / 'digits.onnx', *calibration, *more, '-o',
                            folder / file], check=True, stdout=subprocess.DEVNULL)
        difference = folder / 'difference.html'
        subprocess.run([nvdlac, 'diff', folder / 'a.nvdla', folder / 'b.nvdla', '--html',
                        difference], stdout=subprocess.DEVNULL)

        (folder / 'plan.json').write_text(json.dumps({
            'networks': [{'model': str(digits / 'digits.onnx'),
                          'calibration': str(digits / 'calibration.idx')}],
            'configurations': ['nv_small', 'nv_large'], 'precisions': ['int8', 'fp16']}))
        swept = write('swept.html', 'sweep', folder / 'plan.json', '-o', folder / 'swept.csv')

        options = webdriver.ChromeOptions()
        options.binary_location = NEEDED['chromium']
        options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
        for flag in [*FLAGS, f'--user-data-dir={folder}/browser']:
            options.add_argument(flag)
        driver = webdriver.Chrome(service=Service(NEEDED['chromium-driver']), options=options)
        try:
            look(Page(driver, verified))
            if screenshot:
                driver.save_screenshot(screenshot)
            if measured:
                look_at_measured(Page(driver, measured))
            look_at_groups(Page(driver, grouped))
            look_at_single_group(Page(driver, single))
            look_at_difference(Page(driver, difference))
            look_at_front(Page(driver, explored))
            look_at_sweep(Page(driver, swept))
            page = Page(driver, no_plot)
            page.is_clean()
            expect('apt install libjs-chart.js' in page.find('#missing')[0].text and
                   len(page.find('#tables tbody tr')) > 0, 'without plots there are the tables')
            page = Page(driver, bare)
            page.is_clean()
            expect('apt install libjs-chart.js node-d3-zoom graphviz' in
                   page.find('#missing')[0].text, 'the page says what it misses')
            expect(len(page.find('#tables tbody tr')) > 0, 'and has its tables')
            page = Page(driver, hostile)
            page.is_clean()
            leaves_room(page)
            for row in page.find('#tables section:first-child tbody tr'):
                page.run('arguments[0].click()', row)
                page.settle()
            expect(page.run('return typeof injected') == 'undefined', 'no name becomes a script')
            expect(not page.find('#tables img, #tables b, #graph img'),
                   'no name becomes an element')
            text = page.find('#tables')[0].get_attribute('textContent')
            expect(HOSTILE[0] in text and HOSTILE[-1] in text, 'names stay what they are')
            page.is_clean()
        finally:
            driver.quit()
    print('verified, explored, swept, bare and hostile pages are as they should be')


def chain(names, pad=0):
    """A chain of convolutions with these names, in Caffe's text."""
    text = 'input: "data"\ninput_dim: 1\ninput_dim: 1\ninput_dim: 28\ninput_dim: 28\n'
    bottom = 'data'
    for name in names:
        quoted = name.replace('\\', '\\\\').replace('"', '\\"')
        text += (f'layer {{ name: "{quoted}" type: "Convolution" bottom: "{bottom}" '
                 f'top: "{quoted}" '
                 f'convolution_param {{ num_output: 8 kernel_size: 3 pad: {pad} }} }}\n')
        bottom = quoted
    return text


if __name__ == '__main__':
    main(*sys.argv[1:])
