import type { Flag } from '@apiserver/component-base/flags';
import { upstreamFlags } from '@apiserver/generic-server/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { KubeApiserverOptions } from './kube-apiserver-options.js';

const flagsOf = (options: KubeApiserverOptions) => options.flagSets().all();
const DEFAULTS = flagsOf(new KubeApiserverOptions()).map(
  ({ name, value }) => [name, value.typeName, String(value)] as const,
);

/** A value that is no flag's default, by type. */
const OF_TYPE: Readonly<Record<string, string>> = {
  duration: '77s',
  float: '7.5',
  int: '77',
  int32Slice: '77',
  ip: '192.0.2.77',
  Level: '7',
  mapStringString: 'api/all=true',
  namedCertKey: 'some.crt,some.key',
  'pattern=N,...': 'some=7',
  quantity: '77',
  portRange: '77-777',
  string: 'some',
  stringArray: 'https://some.example.com',
  stringToString: 'metric,label=some',
  strings: 'some',
  uint: '77',
};
/** Two names of one flag, in order. The first one is deprecated. */
const SAME_FIELD: readonly string[] = ['audit-webhook-batch-initial-backoff', 'audit-webhook-initial-backoff'];
/** Flags that take less than their type. */
const OF_FLAG: Readonly<Record<string, string>> = {
  'feature-gates': 'StructuredAuthenticationConfiguration=true',
};

function sampleOf([name, typeName, text]: (typeof DEFAULTS)[number]): string {
  if (typeName === 'bool') return text === 'true' ? 'false' : 'true';
  const sample = OF_FLAG[name] ?? OF_TYPE[typeName];
  if (sample === undefined) throw new Error(`no sample of the type ${typeName} for --${name}`);
  return sample;
}

it.each(DEFAULTS)('--%s writes a field of its own', (...flag) => {
  const [name, , before] = flag;
  expect(name).toMatch(/^[a-z][a-z0-9-]*$/);
  const options = new KubeApiserverOptions();
  const sets = options.flagSets();
  sets.parse([`--${name}=${sampleOf(flag)}`]);
  const changed = sets.all().filter(({ value }, i) => String(value) !== DEFAULTS[i]?.[2]);
  expect(changed.map((one) => one.name)).toEqual(SAME_FIELD.includes(name) ? SAME_FIELD : [name]);
  // Another set of flags over the same options shows that the value went there.
  const [seen] = flagsOf(options).filter((one) => one.name === name);
  expect(String(seen?.value)).not.toBe(before);
});

/** Defaults other than upstream's, with their reasons. */
const OTHER_DEFAULTS: ReadonlyMap<string, string> = new Map([
  ['cert-dir', 'a folder of --data-dir, which needs no rights of root'],
  ['service-account-issuer', 'upstream requires the flag'],
  ['storage-media-type', 'the default depends on the storage'],
]);

/** Flags in another section, until they are built as upstream has them. */
const OTHER_SECTIONS: ReadonlySet<string> = new Set(['enable-priority-and-fairness']);

describe('the flags of upstream', () => {
  const sectionsOf = () => [...new KubeApiserverOptions().flagSets().sections()];
  let sections: ReturnType<typeof sectionsOf>;
  let ours: ReadonlyMap<string, { readonly section: string; readonly flag: Flag }>;
  beforeEach(() => {
    sections = sectionsOf();
    ours = new Map(sections.flatMap(([section, set]) => set.flags().map((flag) => [flag.name, { section, flag }])));
  });
  const theirs = Object.entries(upstreamFlags).flatMap(([section, flags]) =>
    flags.map(([name, type, byDefault, deprecated = '']) => ({ section, name, type, byDefault, deprecated })),
  );

  it('are all there', () => {
    expect(theirs.map(({ name }) => name).filter((name) => !ours.has(name))).toEqual([]);
  });

  it('are joined by the flags that upstream does not have', () => {
    const known = new Set(theirs.map(({ name }) => name));
    expect(
      sections.flatMap(([section, set]) =>
        set
          .flags()
          .filter(({ name }) => !known.has(name))
          .map(({ name }) => [section, name]),
      ),
    ).toEqual(
      ['advertise-port', 'controllers', 'data-dir', 'http2-implementation', 'test-endpoint', 'test-endpoint-file'].map(
        (name) => ['additional', name],
      ),
    );
  });

  it.each(theirs)('--$name', ({ section, name, type, byDefault, deprecated }) => {
    const found = ours.get(name);
    if (!OTHER_SECTIONS.has(name)) expect(found?.section).toBe(section);
    expect([found?.flag.value.typeName, found?.flag.deprecated]).toEqual([type, deprecated]);
    const isEqual = String(found?.flag.value) === byDefault;
    expect(isEqual).toBe(!OTHER_DEFAULTS.has(name));
  });

  it('are in sections in the order of upstream', () => {
    const order = Object.keys(upstreamFlags);
    const names = sections.map(([name]) => name).filter((name) => order.includes(name));
    expect(names).toEqual(order.filter((name) => names.includes(name)));
  });
});

it('has a text for each flag', () => {
  const withoutText = flagsOf(new KubeApiserverOptions()).filter(({ usage }) => usage.length < 20);
  expect(withoutText.map(({ name, usage }) => [name, usage])).toEqual([]);
});

it.each([
  ['7', 7],
  ['0x10', 16],
  ['-1', 'strconv.ParseUint: parsing "-1": invalid syntax'],
  ['99999999999999999999', 'strconv.ParseUint: parsing "99999999999999999999": value out of range'],
])('--kubelet-port=%s', (text, expected) => {
  const options = new KubeApiserverOptions();
  const parse = () => options.flagSets().parse([`--kubelet-port=${text}`]);
  if (typeof expected === 'string') return expect(parse).toThrow(expected);
  parse();
  expect(options.kubelet.port).toBe(expected);
});

it('has the types of upstream', () => {
  const types = new Map(DEFAULTS.map(([name, typeName]) => [name, typeName]));
  expect(['feature-gates', 'emulated-version', 'etcd-servers', 'event-ttl'].map((name) => types.get(name))).toEqual([
    'colonSeparatedMultimapStringString',
    'strings',
    'strings',
    'duration',
  ]);
});
