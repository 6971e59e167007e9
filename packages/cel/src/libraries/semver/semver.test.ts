import { expect, test } from 'vitest';
import { evaluateText } from '../../testing/evaluate-text.js';

test.each([
  ['semver("1.2.3-rc.1+b")', '1.2.3-rc.1+b', 2],
  ['semver("v01.02", true)', '1.2.0', 1],
  ['semver("v1.2.3")', 'error: Invalid character(s) found in major number "v1"', 1],
  ['semver("1.2-a", true)', 'error: short version cannot contain PreRelease/Build meta data', 1],
  ['semver("é.1.1", true)', 'error: Invalid character(s) found in major number "0é"', 1],
  ['semver("1.2")', 'error: No Major.Minor.Patch elements found', 1],
  ['semver("1.2.03")', 'error: Patch number must not contain leading zeroes "03"', 1],
  ['semver("1.0.0-01")', 'error: Numeric PreRelease version must not contain leading zeroes "01"', 1],
  ['semver("1.0.0-")', 'error: Prerelease is empty', 1],
  ['semver("1.0.0+")', 'error: Build meta data is empty', 1],
  ['semver("")', 'error: Version string empty', 0],
  [
    'semver("99999999999999999999.0.0")',
    'error: strconv.ParseUint: parsing "99999999999999999999": value out of range',
    3,
  ],
  ['semver("18446744073709551615.0.0").major()', '-1', 4],
  ['isSemver("1.2.3.4")', 'false', 1],
  ['semver("1.0.0-1").compareTo(semver("1.0.0-a"))', '-1', 3],
  ['semver("1.0.0-a.b").compareTo(semver("1.0.0-a"))', '1', 3],
  ['semver("1.0.0-a").isLessThan(semver("1.0.0"))', 'true', 3],
  ['semver("1.0.0-a.10").compareTo(semver("1.0.0-a.9"))', '1', 3],
  ['semver("1.0.0-a.1.b").compareTo(semver("1.0.0-a.10"))', '-1', 4],
  ['semver("1.0.0-ab").compareTo(semver("1.0.0-a.b"))', '1', 3],
  ['semver("1.0.0-a.b").compareTo(semver("1.0.0-a.b.0"))', '-1', 4],
  ['semver("1.0.0-18446744073709551615") == semver("1.0.0-18446744073709551615")', 'true', 7],
  [
    'semver("1.0.0-a.18446744073709551616")',
    'error: strconv.ParseUint: parsing "18446744073709551616": value out of range',
    3,
  ],
  ['semver("1.0.0-a..b")', 'error: Prerelease is empty', 1],
  ['semver("1.0.0-a.")', 'error: Prerelease is empty', 1],
  ['semver("1.0.0+a") == semver("1.0.0+b")', 'true', 3],
])('%s is %s for %d', (expression, result, cost) => {
  expect(evaluateText(expression)).toEqual([result, cost]);
});
