import type { Flag } from '@apiserver/component-base/flags';
import { describe, expect, it } from 'vitest';
import { KubeApiserverOptions } from './kube-apiserver-options.js';
import { NEUTRAL_FLAGS, optionsFingerprint } from './options-fingerprint.js';

const neutral = Object.values(NEUTRAL_FLAGS).flat();
/** Of the command alone. */
const OF_COMMAND = ['help', 'version'];

function flagsOf(options: KubeApiserverOptions): readonly Flag[] {
  return options.flagSets().all();
}

/** A value other than the default, for each type of flag and for flags with few valid values. */
const OTHER_VALUES: Readonly<Record<string, string>> = { 'feature-gates': 'CBORServingAndStorage=true' };
const BY_TYPE: Readonly<Record<string, string>> = {
  int: '7',
  duration: '1m7s',
  float: '7.5',
  string: 'x',
  stringToString: 'a,b=x',
  stringSlice: 'x',
  strings: 'x',
  uint: '7',
};

function otherValue({ name, value }: Flag): string {
  if (value.typeName === 'bool') return value.toString() === 'true' ? 'false' : 'true';
  return OTHER_VALUES[name] ?? BY_TYPE[value.typeName] ?? 'x=true';
}

const changed = (name: string): string => {
  const options = new KubeApiserverOptions();
  const flag = flagsOf(options).find((one) => one.name === name);
  if (flag !== undefined) flag.value.set(otherValue(flag));
  return optionsFingerprint(options);
};

describe('optionsFingerprint', () => {
  const same = optionsFingerprint(new KubeApiserverOptions());
  const names = flagsOf(new KubeApiserverOptions()).map(({ name }) => name);

  it.each(names.filter((name) => !neutral.includes(name)))('counts --%s', (name) => {
    expect(changed(name)).not.toBe(same);
  });

  it.each([['--data-dir=/d'], ['--authorization-mode=RBAC'], ['--service-cluster-ip-range=10.1.0.0/16'], ['-v=1']])(
    'passes over %s',
    (flag) => {
      const options = new KubeApiserverOptions();
      options.flagSets().parse([flag]);
      expect(optionsFingerprint(options)).toBe(same);
    },
  );

  it('passes over flags that there are, each for one reason', () => {
    expect(new Set(neutral).size).toBe(neutral.length);
    expect(neutral.filter((name) => !names.includes(name))).toEqual(OF_COMMAND);
  });
});
