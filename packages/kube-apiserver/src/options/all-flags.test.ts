import { expect, it } from 'vitest';
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
  portRange: '77-777',
  string: 'some',
  stringArray: 'https://some.example.com',
  strings: 'some',
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

it('has the sections of upstream, and a text for each flag', () => {
  const options = new KubeApiserverOptions();
  const sections = [...options.flagSets().sections()];
  expect(sections.map(([name]) => name)).toEqual([
    ...['generic', 'storage', 'secure serving', 'auditing', 'features', 'authentication', 'authorization'],
    ...['admission', 'API enablement', 'misc', 'logs'],
  ]);
  const placed = new Map(sections.flatMap(([name, set]) => set.flags().map((flag) => [flag.name, name] as const)));
  expect(
    ['authentication-token-webhook-version', 'service-account-issuer', 'authorization-mode', 'kubelet-port'].map(
      (name) => placed.get(name),
    ),
  ).toEqual(['authentication', 'authentication', 'authorization', 'misc']);
  const withoutText = flagsOf(options).filter(({ usage }) => usage.length < 20);
  expect(withoutText.map(({ name, usage }) => [name, usage])).toEqual([]);
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
