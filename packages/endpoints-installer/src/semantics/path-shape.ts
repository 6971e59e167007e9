import type { RequestInfo } from '@apiserver/apiserver-contracts';
import { MAX_SEGMENTS } from '../request-info.js';

/** What a resource's path looks like in front of the resource; RequestInfo alone does not say. */
export interface PathShape {
  /** `watch` or `proxy` stands between version and resource. */
  readonly verbInPath: boolean;
  /** `namespaces/NAME` stands in front of the resource. */
  readonly inNamespace: boolean;
}

/**
 * Works out a path's shape from how many segments RequestInfo has not accounted for. Between two slashes may be an empty
 * namespace or name: routes have that, as upstream's, and it is for the handler to say that something is missing.
 */
export function pathShapeOf(info: RequestInfo): PathShape {
  const groupVersionSegments = info.apiGroup === '' ? 2 : 3;
  const inFront = countSegments(info.path) - groupVersionSegments - info.parts.length;
  return { verbInPath: inFront % 2 === 1, inNamespace: inFront >= 2 };
}

const SLASH = 0x2f;

/** Counts segments as `splitPath` splits them, without making them: every request to a resource comes by here. */
function countSegments(path: string): number {
  let segments = 0;
  let slashes = 0;
  for (let at = 0; at < path.length && segments < MAX_SEGMENTS; at++) {
    if (path.charCodeAt(at) === SLASH) {
      slashes++;
      continue;
    }
    // However many slashes stand at the start, they only start the first segment.
    if (segments === 0) segments = 1;
    else segments += slashes;
    slashes = 0;
  }
  return Math.min(segments, MAX_SEGMENTS);
}
