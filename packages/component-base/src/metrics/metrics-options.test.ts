import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamedFlagSets } from '../flags/flag-set.js';
import { MetricsOptions } from './metrics-options.js';
import { MetricsRegistry } from './metrics-registry.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'metrics-options-'));
  writeFileSync(join(folder, 'good.yaml'), '"requests_total,verb": "GET,LIST"\n');
  writeFileSync(join(folder, 'key.yaml'), '"a": "x"\n');
  writeFileSync(join(folder, 'map.yaml'), 'allowListMapping:\n  "a,b": "x"\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

function parsed(...args: readonly string[]): MetricsOptions {
  const options = new MetricsOptions();
  const sets = new NamedFlagSets();
  options.addFlags(sets.section('metrics'));
  sets.parse(args.map((arg) => arg.replace('FOLDER', folder)));
  return options;
}

const RULE =
  'must have keys with format `metricName,labelName` where metricName matches "[a-zA-Z_:][a-zA-Z0-9_:]*" and labelName matches "[a-zA-Z_][a-zA-Z0-9_]*"';

// The messages are those of k8s.io/component-base v0.36.6; the one about the line of a mapping is shorter.
describe('validation', () => {
  it.each<[args: readonly string[], messages: readonly string[]]>([
    [['--show-hidden-metrics-for-version=1.35', '--disabled-metrics=apiserver_request_total,x:y'], []],
    [['--disabled-metrics='], []],
    [
      ['--show-hidden-metrics-for-version=1.34'],
      [
        `metrics.showHiddenMetricsForVersion: Invalid value: "1.34": must be omitted or have the value '1.35'; only the previous minor version is allowed`,
      ],
    ],
    [
      ['--disabled-metrics=a,b-c'],
      [
        'metrics.disabledMetrics: Invalid value: ["a","b-c"]: must be fully qualified metric names matching "^[a-zA-Z_:][a-zA-Z0-9_:]*$", got "b-c"',
      ],
    ],
    [['--allow-metric-labels=a=x'], [`metrics.allowListMapping: Invalid value: {"a":"x"}: ${RULE}`]],
    [['--allow-metric-labels-manifest=FOLDER/good.yaml'], []],
    [
      ['--allow-metric-labels-manifest=FOLDER/key.yaml'],
      [
        `metrics.allowListMappingManifest: Invalid value: "FOLDER/key.yaml": invalid allow list mapping in manifest: [metrics.allowListMappingManifest: Invalid value: {"a":"x"}: ${RULE}]`,
      ],
    ],
    [
      ['--allow-metric-labels-manifest=FOLDER/map.yaml'],
      [
        'metrics.allowListMappingManifest: Invalid value: "FOLDER/map.yaml": failed to parse allow list manifest: yaml: unmarshal errors: "allowListMapping": cannot unmarshal !!map into string',
      ],
    ],
    [
      ['--allow-metric-labels-manifest=FOLDER/none.yaml'],
      [
        'metrics.allowListMappingManifest: Invalid value: "FOLDER/none.yaml": failed to read allow list manifest: open FOLDER/none.yaml: no such file or directory',
      ],
    ],
    [
      ['--allow-metric-labels="a,b=x"', '--allow-metric-labels-manifest=FOLDER/good.yaml'],
      [
        'metrics: Invalid value: {"allowListMapping":{"a,b":"x"},"allowListMappingManifest":"FOLDER/good.yaml"}: cannot specify both allowListMapping and allowListMappingManifest',
      ],
    ],
  ])('%j: %j', (args, messages) => {
    const found = parsed(...args)
      .validate()
      .map(({ message }) => message.replaceAll(folder, 'FOLDER'));
    expect(found).toEqual(messages);
  });
});

describe('--allow-metric-labels', () => {
  it.each<[args: readonly string[], mapping: object]>([
    [['a,b=x'], { 'a,b': 'x' }],
    [["a,b='x,y'"], { 'a,b': "'x,y'" }],
    [['"a,b=x,y"'], { 'a,b': 'x,y' }],
    [['"a,b=x,y","c,d=z"', '"e,f=q"'], { 'a,b': 'x,y', 'c,d': 'z', 'e,f': 'q' }],
  ])('%j is %j', (values, mapping) => {
    expect(parsed(...values.map((value) => `--allow-metric-labels=${value}`)).allowedLabels).toEqual(mapping);
  });

  it.each([["a,b='v1,v2',c,d='w'"], ['a']])('%s is refused', (value) => {
    const message = `invalid argument "${value}" for "--allow-metric-labels" flag: a must be formatted as key=value`;
    expect(() => parsed(`--allow-metric-labels=${value}`)).toThrow(message);
  });
});

/** The lines of metrics whose names begin like this. */
async function lines(registry: MetricsRegistry, prefix: string): Promise<readonly string[]> {
  const { text } = await registry.expose();
  return text.split('\n').filter((line) => line.replace(/^# \w+ /, '').startsWith(prefix));
}

function registryOf(...args: readonly string[]) {
  const registry = new MetricsRegistry({ withProcess: false });
  parsed(...args).applyTo(registry);
  const requests = registry.counter({ name: 'requests_total', help: 'Requests.', labels: ['verb'] });
  for (const verb of ['GET', 'LIST', 'PUT', 'POST']) requests.with({ verb }).value++;
  registry.gauge({ name: 'etcd_bookmark_counts', help: 'Bookmarks.', labels: [] }).with({}).value = 1;
  return registry;
}

describe('the metrics', () => {
  it('have their stability in the help', async () => {
    const registry = registryOf();
    registry.gauge({ name: 'apiserver_storage_objects', help: 'Objects.', labels: [] }).with({});
    expect([
      await lines(registry, 'requests_total '),
      await lines(registry, 'apiserver_storage_objects '),
      await lines(registry, 'disabled_metrics_total '),
    ]).toEqual([
      ['# HELP requests_total [ALPHA] Requests.', '# TYPE requests_total counter'],
      [
        '# HELP apiserver_storage_objects [STABLE] (Deprecated since 1.34.0) Objects.',
        '# TYPE apiserver_storage_objects gauge',
        'apiserver_storage_objects 0',
      ],
      [
        '# HELP disabled_metrics_total [BETA] Metrics that are left out by a flag.',
        '# TYPE disabled_metrics_total counter',
        'disabled_metrics_total 0',
      ],
    ]);
  });

  it('have only allowed label values', async () => {
    const registry = registryOf('--allow-metric-labels="requests_total,verb=GET,LIST"');
    expect([
      await lines(registry, 'requests_total{'),
      await lines(registry, 'cardinality_enforcement_unexpected_categorizations_total '),
    ]).toEqual([
      ['requests_total{verb="GET"} 1', 'requests_total{verb="LIST"} 1', 'requests_total{verb="unexpected"} 2'],
      expect.arrayContaining(['cardinality_enforcement_unexpected_categorizations_total 2']),
    ]);
  });

  it('are left out on request, and hidden by the release', async () => {
    const disabled = registryOf('--disabled-metrics=requests_total');
    const shown = registryOf('--show-hidden-metrics-for-version=1.35');
    expect([
      await lines(disabled, 'requests_total'),
      await lines(disabled, 'disabled_metrics_total 1'),
      await lines(disabled, 'etcd_bookmark_counts'),
      await lines(disabled, 'hidden_metrics_total 1'),
      await lines(shown, 'etcd_bookmark_counts '),
    ]).toEqual([
      [],
      ['disabled_metrics_total 1'],
      [],
      ['hidden_metrics_total 1'],
      [
        '# HELP etcd_bookmark_counts [ALPHA] (Deprecated since 1.36.0) Bookmarks.',
        '# TYPE etcd_bookmark_counts gauge',
        'etcd_bookmark_counts 1',
      ],
    ]);
  });

  it('start again after a reset', async () => {
    const registry = registryOf();
    const series = registry.histogram({ name: 'seconds', help: 'Time.', labels: [] }, [1]).with({});
    series.observe(2);
    registry.reset();
    series.observe(0.5);
    expect(await lines(registry, 'seconds_')).toEqual([
      'seconds_bucket{le="1"} 1',
      'seconds_bucket{le="+Inf"} 1',
      'seconds_sum 0.5',
      'seconds_count 1',
    ]);
  });
});
