import {
  compareSemanticVersions,
  formatSemanticVersion,
  parseLenientSemanticVersion,
  parseSemanticVersion,
  type SemanticVersion,
} from '@apiserver/apimachinery/values';
import { type CelType, structOf } from '../../types/cel-type.js';
import { NO_SUCH_OVERLOAD, noConversion } from '../../values/errors.js';
import { type CallWork, type Implementations, implement } from '../../values/implementation.js';
import { type Int, intOf } from '../../values/number.js';
import { type EvaluationError, OpaqueValue, type Value } from '../../values/value.js';
import { TRAVERSE_FIRST } from '../call-costs.js';
import { orError, parses } from '../parse-result.js';
import { parseWork } from '../parse-work.js';

const SEMVER_TYPE = structOf('kubernetes.Semver');

/** A semantic version. */
class Semver extends OpaqueValue {
  readonly type: CelType = SEMVER_TYPE;
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  override get key(): undefined {
    return undefined;
  }

  override get unwrapError(): EvaluationError {
    return noConversion('semver.Version', this);
  }

  equals(other: Value): boolean | EvaluationError {
    if (!(other instanceof Semver)) return NO_SUCH_OVERLOAD;
    return compareSemanticVersions(this.version, other.version) === 0;
  }

  override toString(): string {
    return formatSemanticVersion(this.version);
  }
}

/** Parses a version; repairs it first if `normalize`. */
function parse(text: string, normalize: boolean): Semver {
  return new Semver(normalize ? parseLenientSemanticVersion(text) : parseSemanticVersion(text));
}

/** The characters of a prerelease do not count in the cost. A unit of work compares some eight of them. */
const COMPARE_WORK: CallWork = ([a]) => (a instanceof Semver ? a.version.prerelease.length / 8 : 0);

const PARSE_WORK = parseWork(80, 1.5);

const compare = (a: Semver, b: Semver): number => compareSemanticVersions(a.version, b.version);

/** A number of a version as an int: upstream does not check its range. */
function asInt(value: bigint): Int {
  return intOf(BigInt.asIntN(64, value));
}

/** Upstream: k8s.io/apiserver/pkg/cel/library/semverlib.go */
export const SEMVER_IMPLEMENTATIONS: Implementations = {
  is_semver_string: implement(['string'], (text) => parses(() => parse(text, false)), TRAVERSE_FIRST, PARSE_WORK),
  is_semver_string_bool: implement(
    ['string', 'bool'],
    (text, normalize) => parses(() => parse(text, normalize)),
    TRAVERSE_FIRST,
    PARSE_WORK,
  ),
  semver_compare_to: implement([Semver, Semver], compare, undefined, COMPARE_WORK),
  semver_is_greater_than: implement([Semver, Semver], (a, b) => compare(a, b) > 0, undefined, COMPARE_WORK),
  semver_is_less_than: implement([Semver, Semver], (a, b) => compare(a, b) < 0, undefined, COMPARE_WORK),
  semver_major: implement([Semver], ({ version }) => asInt(version.major)),
  semver_minor: implement([Semver], ({ version }) => asInt(version.minor)),
  semver_patch: implement([Semver], ({ version }) => asInt(version.patch)),
  string_bool_to_semver: implement(
    ['string', 'bool'],
    (text, normalize) => orError(() => parse(text, normalize)),
    TRAVERSE_FIRST,
    PARSE_WORK,
  ),
  string_to_semver: implement(['string'], (text) => orError(() => parse(text, false)), TRAVERSE_FIRST, PARSE_WORK),
};
