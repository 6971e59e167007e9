import { describe, expect, it } from 'vitest';
import { VersionFlag } from './version-flag.js';

const own = 'v1.36.0+apiserver.0.1.0';

describe('VersionFlag', () => {
  it.each([
    ['true', 'short', 'true', own],
    ['1', 'short', 'true', own],
    ['raw', 'raw', 'raw', own],
    ['false', 'no', 'false', own],
    ['v1.36.0', 'set', 'v1.36.0', 'v1.36.0'],
    ['v1.36.0-rc.0+mine', 'set', 'v1.36.0-rc.0+mine', 'v1.36.0-rc.0+mine'],
    [own, 'set', own, own],
  ])('%s', (text, request, shown, gitVersion) => {
    const flag = new VersionFlag(own);
    flag.set(text);
    expect([flag.request, flag.toString(), flag.gitVersion]).toEqual([request, shown, gitVersion]);
  });

  it.each([
    ['yes', 'strconv.ParseBool: parsing "yes": invalid syntax'],
    ['1.36.0', 'strconv.ParseBool: parsing "1.36.0": invalid syntax'],
    ['v1.35.0', `version "v1.35.0" must match major/minor/patch of default version "${own}"`],
    ['v1.36.1', `version "v1.36.1" must match major/minor/patch of default version "${own}"`],
    ['v', 'could not parse "v" as version'],
    ['v1.36', 'illegal version string "v1.36"'],
    ['v1.036.0', 'illegal zero-prefixed version component "036" in "v1.036.0"'],
    ['v1.36.0-rc.01', 'illegal zero-prefixed version component "01" in "v1.36.0-rc.01"'],
    ['v1.36.0_x', 'could not parse pre-release/metadata (_x) in version "v1.36.0_x"'],
  ])('refuses %s', (text, message) => {
    expect(() => new VersionFlag(own).set(text)).toThrow(message);
  });
});
