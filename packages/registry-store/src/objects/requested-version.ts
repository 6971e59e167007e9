import { newBadRequest, plainFailure } from '@apiserver/apimachinery/errors';
import { quote, uintProblem } from '@apiserver/apimachinery/text';
import type { StorageListOptions } from '@apiserver/apiserver-contracts';
import { decodeContinueToken } from './continue-token.js';

/**
 * The revision that a read requests; 0 if none. Beyond a safe integer it is rounded, and never reached. Throws a 500,
 * as upstream, for a text that is not a number.
 */
export function parseRequestedVersion(resourceVersion: string | undefined): number {
  if (resourceVersion === undefined || resourceVersion === '') return 0;
  const problem = versionProblem(resourceVersion);
  if (problem !== undefined) throw plainFailure(500, problem);
  return Number(resourceVersion);
}

/** Upstream: k8s.io/apiserver/pkg/storage.APIObjectVersioner.ParseResourceVersion */
function versionProblem(text: string): string | undefined {
  const fault = uintProblem(text);
  if (fault === undefined) return undefined;
  return `resourceVersion: Invalid value: ${quote(text)}: strconv.ParseUint: parsing ${quote(text)}: ${fault}`;
}

/** The execution plan of a list. */
export interface ListPlan {
  /**
   * `exact`: the state at `revision`. `newest`: includes all earlier writes. `notOlderThan`: `revision` or later; 0:
   * any.
   */
  readonly kind: 'exact' | 'newest' | 'notOlderThan';
  readonly revision: number;
  /** Relative to the listed prefix; "": the beginning. */
  readonly startKey: string;
  /** 0: no limit. */
  readonly limit: number;
  /** True if the request has a continue token. */
  readonly continuing: boolean;
  /** True if the request has resourceVersion "0". */
  readonly any: boolean;
}

/**
 * Throws 400 for invalid versions and tokens. `isSingle`: only one name is listed; such a list has no pages, so a limit
 * does not affect the version.
 * Upstream: k8s.io/apiserver/pkg/storage ValidateListOptions
 */
export function planList(options: StorageListOptions, isSingle: boolean): ListPlan {
  const { resourceVersion = '', match } = options;
  const limit = isSingle ? 0 : Math.max(0, options.limit ?? 0);
  const base = { limit, startKey: '', continuing: false, any: resourceVersion === '0' };
  if (options.continue) return planContinuation(options.continue, resourceVersion, limit);
  if (resourceVersion === '') return { ...base, kind: 'newest', revision: 0 };
  const problem = versionProblem(resourceVersion);
  if (problem !== undefined) throw newBadRequest(`invalid resource version: ${problem}`);
  const revision = Number(resourceVersion);
  const exact = match === 'Exact' || (isLegacyExact(options) && !isSingle);
  return { ...base, kind: exact ? 'exact' : 'notOlderThan', revision };
}

/** Before resourceVersionMatch existed, a limit made the version exact. */
export function isLegacyExact({ resourceVersion = '', match, limit = 0 }: StorageListOptions): boolean {
  return match === undefined && limit > 0 && Number(resourceVersion) > 0;
}

function planContinuation(token: string, resourceVersion: string, limit: number): ListPlan {
  const { startKey, revision } = decodeContinueToken(token);
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw newBadRequest('specifying resource version is not allowed when using continue');
  }
  const base = { startKey, limit, continuing: true, any: false };
  return revision > 0 ? { ...base, kind: 'exact', revision } : { ...base, kind: 'newest', revision: 0 };
}
