import { Buffer } from 'node:buffer';
import { formatGoFloat } from '@apiserver/apimachinery/text';
import { expect, it } from 'vitest';
import { exponentialBounds } from './exponential-bounds.js';
import { MetricsRegistry } from './metrics-registry.js';
import { protobufExposition } from './protobuf-exposition.js';
import { textExposition } from './text-exposition.js';

/** The same metrics as in a registry of github.com/prometheus/client_golang, which wrote what the tests expect. */
async function gathered() {
  const registry = new MetricsRegistry({ withProcess: false });
  const total = registry.counter({ name: 'a_total', help: 'A.', labels: ['y', 'x'] });
  total.with({ y: '1', x: 'b\n' }).value = 2;
  total.with({ y: '0', x: '' }).value = 1e6;
  registry.gauge({ name: 'b', help: 'B \\ \n.', labels: [] }).with({}).value = -1.5;
  const histogram = registry.histogram({ name: 'h', help: 'H.', labels: ['l'] }, [0.5, 1e6]).with({ l: 'm' });
  for (const value of [0.25, 2e6]) histogram.observe(value);
  const families = (await registry.gather()).filter(({ name }) => ['a_total', 'b', 'h'].includes(name));
  return families.map((family) => ({ ...family, help: family.help.replace('[ALPHA] ', '') }));
}

it('the text format is that of Go’s library', async () => {
  expect((await textExposition(await gathered())).split('\n')).toEqual([
    ...['# HELP a_total A.', '# TYPE a_total counter', 'a_total{x="",y="0"} 1e+06', 'a_total{x="b\\n",y="1"} 2'],
    ...['# HELP b B \\\\ \\n.', '# TYPE b gauge', 'b -1.5'],
    ...['# HELP h H.', '# TYPE h histogram', 'h_bucket{l="m",le="0.5"} 1', 'h_bucket{l="m",le="1e+06"} 1'],
    ...['h_bucket{l="m",le="+Inf"} 2', 'h_sum{l="m"} 2.00000025e+06', 'h_count{l="m"} 2', ''],
  ]);
});

it('the protobuf format is that of Go’s library', async () => {
  expect(Buffer.from(protobufExposition(await gathered())).toString('hex')).toBe(
    [
      '490a07615f746f74616c1202412e1800221a0a050a017812000a060a01791201301a09090000000080842e41221c0a070a01781202620a0a06',
      '0a01791201311a090900000000000000401a0a0162120642205c200a2e1801220b120909000000000000f8bf3a0a01681202482e1804222f0a',
      '060a016c12016d3a250802110000004080843e411a0b080111000000000000e03f1a0b0801110000000080842e41',
    ].join(''),
  );
});

it('a summary has quantiles in both formats', async () => {
  const registry = new MetricsRegistry({ withProcess: false });
  const samples = () => [
    { labels: { quantile: 0.5 }, value: 3 },
    { metricName: 's_sum', labels: {}, value: 3 },
    { metricName: 's_count', labels: {}, value: 1 },
  ];
  registry.collect({ name: 's', help: '', type: 'summary', samples });
  const families = (await registry.gather()).filter(({ name }) => name === 's');
  const text = (await textExposition(families)).split('\n').slice(2);
  expect(text).toEqual(['s{quantile="0.5"} 3', 's_sum 3', 's_count 1', '']);
  const [{ help } = { help: '' }] = families;
  const bytes = Buffer.from(protobufExposition(families));
  const [half, three] = ['000000000000e03f', '0000000000000840'];
  const summary = `080111${three}1a1209${half}11${three}`;
  expect(bytes.subarray(bytes.indexOf(help) + help.length).toString('hex')).toBe(`18022221221f${summary}`);
});

it.each<[number, string]>([
  ...([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [123_456, '123456'],
    [999_999, '999999'],
    [1e6, '1e+06'],
    [1_234_567, '1.234567e+06'],
  ] as [number, string][]),
  ...([
    [0.0001, '0.0001'],
    [0.000_01, '1e-05'],
    [1e-7, '1e-07'],
    [1.5e21, '1.5e+21'],
    [5e-324, '5e-324'],
    [-2.5e8, '-2.5e+08'],
  ] as [number, string][]),
  ...([
    [0.1 + 0.2, '0.30000000000000004'],
    [1e100, '1e+100'],
    [-Infinity, '-Inf'],
    [Infinity, '+Inf'],
    [Number.NaN, 'NaN'],
  ] as [number, string][]),
])('%d is written as %s', (value, text) => {
  expect(formatGoFloat(value)).toBe(text);
});

it('many series are gathered and written in turns of the event loop', async () => {
  const registry = new MetricsRegistry({ withProcess: false });
  const family = registry.histogram({ name: 'h', help: '', labels: ['l'] }, exponentialBounds(1, 20));
  for (let i = 0; i < 5_000; i++) family.with({ l: String(i) }).observe(i);
  let turns = 0;
  const tick = setInterval(() => turns++, 0);
  const { text } = await registry.expose();
  clearInterval(tick);
  expect(turns).toBeGreaterThan(2);
  expect(text.split('\n').filter((line) => line.startsWith('h_bucket{l="4999",le="4096"} '))).toEqual([
    'h_bucket{l="4999",le="4096"} 0',
  ]);
});
