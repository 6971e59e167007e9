/** In ascending order of maturity. */
const stages: readonly string[] = ['alpha', 'beta', ''];

/** A version with a larger number is another name. Upstream: strconv.Atoi */
const MAX_NUMBER = 2n ** 63n - 1n;

interface ParsedVersion {
  readonly stage: number;
  readonly major: bigint;
  readonly minor: bigint;
}

/**
 * Compares API versions by maturity, then by number; negative if `a` comes first. Other names come last,
 * alphabetically.
 *
 * Upstream: CompareKubeAwareVersionStrings in k8s.io/apimachinery/pkg/version/helpers.go
 */
export function compareKubeAwareVersions(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : 1;
    return left === undefined ? 1 : -1;
  }
  return right.stage - left.stage || descending(left.major, right.major) || descending(left.minor, right.minor);
}

function descending(a: bigint, b: bigint): number {
  return a === b ? 0 : a > b ? -1 : 1;
}

function parse(text: string): ParsedVersion | undefined {
  const [, majorText, stage = '', minorText = '0'] = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/.exec(text) ?? [];
  if (majorText === undefined) return undefined;
  const [major, minor] = [BigInt(majorText), BigInt(minorText)];
  if (major > MAX_NUMBER || minor > MAX_NUMBER) return undefined;
  return { stage: stages.indexOf(stage), major, minor };
}
