import type { RequestInfo } from '@apiserver/apiserver-contracts';
import { splitPath } from '../request-info.js';

/** What a resource's path looks like in front of the resource; RequestInfo alone does not say. */
export interface PathShape {
  /** `watch` or `proxy` stands between version and resource. */
  readonly verbInPath: boolean;
  /** `namespaces/NAME` stands in front of the resource. */
  readonly inNamespace: boolean;
  /** Two slashes in a row somewhere: no route has that. */
  readonly hasEmptySegment: boolean;
}

/** Works out a path's shape from how many segments RequestInfo has not accounted for. */
export function pathShapeOf(info: RequestInfo): PathShape {
  const segments = splitPath(info.path);
  const groupVersionSegments = info.apiGroup === '' ? 2 : 3;
  const inFront = segments.length - groupVersionSegments - info.parts.length;
  return {
    verbInPath: inFront % 2 === 1,
    inNamespace: inFront >= 2,
    hasEmptySegment: segments.includes(''),
  };
}
