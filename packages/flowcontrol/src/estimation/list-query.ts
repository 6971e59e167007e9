import { parseInt64 } from '@apiserver/apimachinery/values';
import type { ApiRequest } from '@apiserver/apiserver-contracts';

/** The options of a list that its cost depends on. */
export interface ListQuery {
  /** 0 for no limit. */
  readonly limit: number;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly continueToken: string;
  readonly hasSelector: boolean;
  readonly sendInitialEvents: boolean;
}

const NO_OPTIONS: ListQuery = {
  limit: 0,
  resourceVersion: '',
  resourceVersionMatch: '',
  continueToken: '',
  hasSelector: false,
  sendInitialEvents: false,
};

/** Undefined: the options are invalid, and the request will fail. */
export function listQueryOf(request: ApiRequest): ListQuery | undefined {
  if (request.rawQuery === '') return NO_OPTIONS;
  const { query } = request;
  const limit = parseInt64(query.get('limit') ?? '0');
  if (limit === undefined || parseInt64(query.get('timeoutSeconds') ?? '0') === undefined) return undefined;
  return {
    limit: Number(limit),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    continueToken: query.get('continue') ?? '',
    hasSelector: Boolean(query.get('labelSelector')) || Boolean(query.get('fieldSelector')),
    sendInitialEvents: isTrue(query.get('sendInitialEvents')),
  };
}

/** Upstream: Convert_Slice_string_To_bool of k8s.io/apimachinery/pkg/runtime */
function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/**
 * True for a list of a version that the cache may not have.
 * Upstream: ShouldDelegateList of k8s.io/apiserver/pkg/storage/cacher/delegator
 */
export function needsSnapshot({
  limit,
  resourceVersion,
  resourceVersionMatch: match,
  continueToken,
}: ListQuery): boolean {
  if (match !== '') return match !== 'NotOlderThan';
  if (continueToken !== '') return true;
  return limit > 0 && resourceVersion !== '' && resourceVersion !== '0';
}
