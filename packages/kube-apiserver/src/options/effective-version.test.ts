import { expect, it } from 'vitest';
import { readEffectiveVersion } from './effective-version.js';

/** Reads flags such as `1.35 min 1.34`. */
function read(text: string) {
  const [emulated, minCompatibility] = text.split(' min ').map((values) => (values === '' ? [] : values.split(',')));
  return readEffectiveVersion({ emulated: emulated ?? [], minCompatibility: minCompatibility ?? [] });
}

it.each<[string, number, number]>([
  ['', 36, 35],
  ['1.36', 36, 35],
  ['1.35', 35, 34],
  ['v1.35.0', 35, 34],
  [' kube = 1.35 ', 35, 34],
  ['1.35 min 1.35', 35, 35],
  [' min 1.36', 36, 36],
  [' min kube=1.34', 36, 34],
])('%j emulates 1.%d and is compatible with 1.%d', (text, emulationMinor, minCompatibilityMinor) =>
  expect(read(text)).toEqual({ effective: { emulationMinor, minCompatibilityMinor }, faults: [] }),
);

/** As component-base 0.36.6 answers the same flags. */
it.each<[string, readonly string[]]>([
  [
    '1.32',
    [
      'emulation version 1.32 is not between [1.33, 1.36.0+apiserver.0.1.0]',
      'minCompatibilityVersion version 1.33 is not between [1.33, 1.32]',
    ],
  ],
  ['1.37', ['emulation version 1.37 is not between [1.33, 1.36.0+apiserver.0.1.0]']],
  ['2.0', ['emulation version 2.0 is not between [1.33, 1.36.0+apiserver.0.1.0]']],
  [' min 1.32', ['minCompatibilityVersion version 1.32 is not between [1.33, 1.36]']],
  ['1.35 min 1.36', ['minCompatibilityVersion version 1.36 is not between [1.33, 1.35]']],
  [
    '1.30 min 1.20',
    [
      'emulation version 1.30 is not between [1.33, 1.36.0+apiserver.0.1.0]',
      'minCompatibilityVersion version 1.20 is not between [1.33, 1.30]',
    ],
  ],
])('%j is out of range', (text, faults) => expect(read(text).faults).toEqual(faults));

it.each<[string, readonly string[]]>([
  ['1.34 min 1.34', ['--emulated-version: 1.34 is not built; the oldest release is 1.35']],
  ['1.33', ['--emulated-version: 1.33 is not built; the oldest release is 1.35']],
  [' min 1.33', ['--min-compatibility-version: 1.33 is not built; the oldest release is 1.34']],
])('%j is not built', (text, faults) => expect(read(text).faults).toEqual(faults));

/** As component-base 0.36.6. */
it.each([
  ['kube=1.35,kube=1.34', 'duplicate version flag, kube=1.35 and kube=1.34'],
  ['1.35,kube=1.35', 'duplicate version flag, kube=1.35 and kube=1.35'],
  ['foo=1.35', 'component not registered: foo'],
  [' min foo=1.35', 'component not registered: foo'],
  ['x', 'could not parse "x" as version'],
  ['a=b=c', 'could not parse "b=c" as version'],
  ['1.35.1', 'patch version not allowed, got: kube=1.35.1'],
  ['1', 'illegal version string "1"'],
  ['1.x', 'illegal version string "1.x"'],
  ['01.35', 'illegal zero-prefixed version component "01" in "01.35"'],
])('%j is no version', (text, message) => expect(() => read(text)).toThrow(message));
