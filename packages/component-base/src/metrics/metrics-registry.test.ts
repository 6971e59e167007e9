import { describe, expect, it } from 'vitest';
import { MetricsRegistry } from './metrics-registry.js';
import { HistogramSeries } from './series.js';

const NAMES = { counter: 'made_total', gauge: 'present' } as const;

/** The lines of the metrics with this name. */
async function lines(registry: MetricsRegistry, name: string): Promise<string[]> {
  const { text } = await registry.expose();
  return text.split('\n').filter((line) => line.replace(/^# \w+ /, '').startsWith(name));
}

function emptyRegistry(): MetricsRegistry {
  return new MetricsRegistry({ withProcess: false });
}

describe('a registry', () => {
  it('exposes its metrics by name, in the text format', async () => {
    const registry = emptyRegistry();
    registry.gauge({ name: 'b_gauge', help: 'Second.', labels: [] }).with({}).value = -1.5;
    registry.counter({ name: 'a_total', help: 'First.', labels: ['x', 'y'] }).with({ x: '1', y: 'p"q' }).value = 2;
    registry.counter({ name: 'c_total', help: 'Without values.', labels: [] });
    const { text } = await registry.expose();
    const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    expect(names).toEqual([
      'a_total counter',
      'b_gauge gauge',
      'cardinality_enforcement_unexpected_categorizations_total counter',
      'disabled_metrics_total counter',
      'hidden_metrics_total counter',
      'registered_metrics_total counter',
    ]);
    expect(text.split('\n').slice(0, 6)).toEqual([
      ...['# HELP a_total [ALPHA] First.', '# TYPE a_total counter', 'a_total{x="1",y="p\\"q"} 2'],
      ...['# HELP b_gauge [ALPHA] Second.', '# TYPE b_gauge gauge', 'b_gauge -1.5'],
    ]);
    expect(text).toMatch(/[^\n]\n$/);
  });

  it('has the metrics of the process only on request', async () => {
    const help = /^# HELP process_start_time_seconds [^[]/;
    expect((await lines(new MetricsRegistry(), 'process_start_time_seconds'))[0]).toMatch(help);
    expect(await lines(emptyRegistry(), 'process_')).toEqual([]);
  });

  it('counts the CPU time since the process began, not since the first request', async () => {
    const before = process.cpuUsage();
    const registry = new MetricsRegistry();
    const shown = await Promise.all(
      ['', '_user', '_system'].map((mode) => lines(registry, `process_cpu${mode}_seconds`)),
    );
    const [both = 0, user = 0, system = 0] = shown.map(([, , sample = '']) => Number(sample.split(' ')[1]) * 1e6);
    expect([user >= before.user, system >= before.system, both >= before.user + before.system]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.runIf(process.platform === 'linux')('has the limit of memory and the traffic of the network', async () => {
    const shown = await Promise.all(
      ['virtual_memory_max', 'network_receive', 'network_transmit'].map((name) =>
        lines(new MetricsRegistry(), `process_${name}_bytes`),
      ),
    );
    const samples = shown.map(([help = '', , sample = '']) => [help.includes('['), Number(sample.split(' ')[1]) > 0]);
    expect(samples).toEqual(samples.map(() => [false, true]));
  });

  it('counts its metrics by stability and deprecation', async () => {
    const registry = emptyRegistry();
    registry.gauge({ name: 'apiserver_storage_objects', help: '', labels: [] });
    registry.counter({ name: 'apiserver_request_total', help: '', labels: [] });
    // Hidden: deprecated for longer than its stability promises.
    registry.gauge({ name: 'etcd_bookmark_counts', help: '', labels: [] });
    expect(await lines(registry, 'registered_metrics_total{')).toEqual([
      'registered_metrics_total{deprecated_version="",stability_level="ALPHA"} 1',
      'registered_metrics_total{deprecated_version="",stability_level="BETA"} 3',
      'registered_metrics_total{deprecated_version="",stability_level="STABLE"} 1',
      'registered_metrics_total{deprecated_version="1.34.0",stability_level="STABLE"} 1',
    ]);
    expect(await lines(registry, 'hidden_metrics_total ')).toContain('hidden_metrics_total 1');
  });

  it('shows metrics that are made after the first request', async () => {
    const registry = emptyRegistry();
    await registry.expose();
    registry.gauge({ name: 'later', help: 'Later.', labels: [] }).with({}).value = 1;
    registry.gauge({ name: 'etcd_bookmark_counts', help: '', labels: [] }).with({}).value = 1;
    expect(await lines(registry, 'later')).toEqual(['# HELP later [ALPHA] Later.', '# TYPE later gauge', 'later 1']);
    expect(await lines(registry, 'etcd_bookmark_counts')).toEqual([]);
  });

  it('takes a name once', () => {
    const registry = emptyRegistry();
    registry.counter({ name: 'a', help: '', labels: [] });
    const again = () => registry.collect({ name: 'a', help: '', type: 'gauge', samples: () => [] });
    expect(again).toThrow(new Error('the metric a is registered already'));
  });

  it('collects scrapes that come together one in a turn', async () => {
    const registry = emptyRegistry();
    await registry.expose();
    let turn = 0;
    const turns: number[] = [];
    const samples = () => {
      turns.push(turn);
      for (const begun = performance.now(); performance.now() - begun < 5; );
      return [];
    };
    registry.collect({ name: 'slow', help: '', type: 'gauge', samples });
    const next = () => {
      turn++;
      if (turns.length < 5) setImmediate(next);
    };
    setImmediate(next);
    await Promise.all(Array.from({ length: 5 }, () => registry.gather()));
    expect(new Set(turns).size).toBe(5);
  });

  it('computes a metric on demand, and keeps it at a reset', async () => {
    const registry = emptyRegistry();
    let value = 0;
    registry.collect({ name: 'computed', help: 'C.', type: 'gauge', samples: () => [{ labels: {}, value: ++value }] });
    registry.reset();
    expect([await lines(registry, 'computed '), value]).toEqual([
      ['# HELP computed [ALPHA] C.', '# TYPE computed gauge', 'computed 1'],
      1,
    ]);
  });

  it('constrains metrics that are there before the settings', async () => {
    const registry = emptyRegistry();
    const family = registry.counter({ name: 'a', help: '', labels: ['x', 'y'] });
    const allowedValues = new Map([['a', new Map([['x', new Set(['1'])]])]]);
    registry.configure({ showHidden: false, disabled: new Set(), allowedValues });
    for (const x of ['1', '2', '3']) family.with({ x, y: x }).value++;
    expect(await lines(registry, 'a{')).toEqual([
      'a{x="1",y="1"} 1',
      'a{x="unexpected",y="2"} 1',
      'a{x="unexpected",y="3"} 1',
    ]);
    const replaced = 'cardinality_enforcement_unexpected_categorizations_total';
    expect(await lines(registry, `${replaced} `)).toEqual([
      `# HELP ${replaced} [ALPHA] Label values that are not allowed.`,
      `# TYPE ${replaced} counter`,
      `${replaced} 2`,
    ]);
  });
});

describe('the series of a metric', () => {
  it.each(['counter', 'gauge'] as const)('of a %s are one for the same labels', async (type) => {
    const registry = emptyRegistry();
    const family = registry[type]({ name: NAMES[type], help: '', labels: ['x', 'y'] });
    family.with({ x: 'a', y: 'b' }).value++;
    family.with({ y: 'b', x: 'a' }).value++;
    family.with({ x: 'ab', y: '' }).value++;
    family.with({ x: '', y: 'ab' }).value++;
    expect(await lines(registry, `${NAMES[type]}{`)).toEqual([
      `${NAMES[type]}{x="",y="ab"} 1`,
      `${NAMES[type]}{x="a",y="b"} 2`,
      `${NAMES[type]}{x="ab",y=""} 1`,
    ]);
  });

  it('are found by repeated and by changing labels, until they are removed', () => {
    const family = emptyRegistry().counter({ name: 'found', help: '', labels: ['x', 'y'] });
    const find = (x: string, y: string) => family.with({ x, y });
    const found = [find('a', 'b'), find('a', 'b'), find('a', 'c'), find('d', 'b'), find('a', 'b'), find('a', 'b')];
    expect(found.map((series) => found.indexOf(series))).toEqual([0, 0, 2, 3, 0, 0]);
    family.remove({ x: 'a', y: 'b' });
    expect(found).not.toContain(find('a', 'b'));
  });

  it('end when they are removed, and are zero after a reset', async () => {
    const registry = emptyRegistry();
    const family = registry.gauge({ name: 'g', help: '', labels: ['x'] });
    const [a, b] = [family.with({ x: 'a' }), family.with({ x: 'b' })];
    a.value = b.value = 3;
    family.remove({ x: 'a' });
    family.remove({ x: 'c' });
    a.value = 4;
    expect(await lines(registry, 'g{')).toEqual(['g{x="b"} 3']);
    expect(family.with({ x: 'a' }).value).toBe(0);
    registry.reset();
    expect(await lines(registry, 'g{')).toEqual(['g{x="a"} 0', 'g{x="b"} 0']);
    b.value++;
    expect(await lines(registry, 'g{x="b"')).toEqual(['g{x="b"} 1']);
  });

  it('are at most 50,000', () => {
    const family = emptyRegistry().counter({ name: 'many', help: '', labels: ['x'] });
    for (let i = 0; i < 50_001; i++) family.with({ x: String(i) }).value++;
    expect(family.samples()).toHaveLength(50_000);
    expect([family.with({ x: '49999' }).value, family.with({ x: '50000' }).value]).toEqual([1, 0]);
  });
});

describe('a histogram', () => {
  it('counts values up to and with each bound', () => {
    const series = new HistogramSeries([1, 2]);
    for (const value of [0, 1, 1.5, 2, 3]) series.observe(value);
    series.observe(2, 3);
    expect([series.counts, series.sum]).toEqual([[2, 5, 1], 13.5]);
  });

  it('is exposed with cumulative counts, and starts again after a reset', async () => {
    const registry = emptyRegistry();
    const family = registry.histogram({ name: 'seconds', help: 'H.', labels: ['x'] }, [0.5, 10]);
    for (const value of [0.1, 2, 20]) family.with({ x: 'a' }).observe(value);
    expect(await lines(registry, 'seconds')).toEqual([
      '# HELP seconds [ALPHA] H.',
      '# TYPE seconds histogram',
      'seconds_bucket{x="a",le="0.5"} 1',
      'seconds_bucket{x="a",le="10"} 2',
      'seconds_bucket{x="a",le="+Inf"} 3',
      'seconds_sum{x="a"} 22.1',
      'seconds_count{x="a"} 3',
    ]);
    registry.reset();
    expect(await lines(registry, 'seconds_count')).toEqual(['seconds_count{x="a"} 0']);
    expect(await lines(registry, 'seconds_sum')).toEqual(['seconds_sum{x="a"} 0']);
  });
});

it('a summary starts again after a reset', async () => {
  const registry = emptyRegistry();
  const options = { quantiles: [0.5], maxAge: 1_000, now: () => 0 };
  const series = registry.summary({ name: 'took', help: '', labels: [] }, options).with({});
  series.observe(5, 0);
  registry.reset();
  expect((await lines(registry, 'took')).slice(2)).toEqual(['took{quantile="0.5"} NaN', 'took_sum 0', 'took_count 0']);
});
