import type { RequestInfo } from '@apiserver/apiserver-contracts';
import { MAX_SEGMENTS } from '../request-info.js';

/** The form of a resource's path before the resource, which RequestInfo does not have. */
export interface PathShape {
  /** True if `watch` or `proxy` is between version and resource. */
  readonly verbInPath: boolean;
  /** True if `namespaces/NAME` precedes the resource. */
  readonly inNamespace: boolean;
}

/**
 * Determines a path's form from the number of segments that are not in RequestInfo. A namespace or name between two
 * slashes may be empty: such paths have routes, as upstream's, and the handler reports what is missing.
 */
export function pathShapeOf(info: RequestInfo): PathShape {
  const groupVersionSegments = info.apiGroup === '' ? 2 : 3;
  const inFront = countSegments(info.path) - groupVersionSegments - info.parts.length;
  return { verbInPath: inFront % 2 === 1, inNamespace: inFront >= 2 };
}

const SLASH = 0x2f;

/** Counts the segments of `splitPath` without creating them, because every request to a resource runs this. */
function countSegments(path: string): number {
  let segments = 0;
  let slashes = 0;
  for (let at = 0; at < path.length && segments < MAX_SEGMENTS; at++) {
    if (path.charCodeAt(at) === SLASH) {
      slashes++;
      continue;
    }
    // Any number of leading slashes starts only the first segment.
    if (segments === 0) segments = 1;
    else segments += slashes;
    slashes = 0;
  }
  return Math.min(segments, MAX_SEGMENTS);
}
