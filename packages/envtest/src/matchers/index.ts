/** Matchers for `expect.extend` of vitest and jest. */
import type { RequestFilter } from '@apiserver/test-powers';
import type { ControlPlane } from '../control-plane.js';
import { type ConditionDetails, toBeOwnedBy, toHaveCondition, toHaveFinalizer } from './object-matchers.js';
import { toBeGone, toExist, toHaveRequested } from './plane-matchers.js';
import { type ExpectedStatus, toBeStatus } from './status-matcher.js';

export type { ConditionDetails } from './object-matchers.js';
export type { ExpectedStatus } from './status-matcher.js';

/** Matchers of objects, of responses, and of planes: `expect.extend(matchers)`. */
export const matchers = {
  toBeGone,
  toBeOwnedBy,
  toBeStatus,
  toExist,
  toHaveCondition,
  toHaveFinalizer,
  toHaveRequested,
};

/** The types of the matchers, for the interface `Matchers` of a test runner. `R` is what its matchers return. */
export interface PlaneMatchers<R = void> {
  /** `await expect(object).toBeGone(plane)`; by UID if the object has one. */
  toBeGone(plane: Pick<ControlPlane, 'find'>): Promise<void>;
  /** `expect(object).toBeOwnedBy(owner)`; `controller`: as the controller, or not. */
  toBeOwnedBy(owner: object, options?: { readonly controller?: boolean }): R;
  /** `expect(error).toBeStatus({ reason: 'Conflict' })`; a Response must be awaited. */
  toBeStatus(expected: ExpectedStatus): R & Promise<void>;
  /** `await expect(object).toExist(plane)`; by UID if the object has one. */
  toExist(plane: Pick<ControlPlane, 'find'>): Promise<void>;
  /** `expect(object).toHaveCondition('Ready', 'True', { reason: 'Done' })` */
  toHaveCondition(type: string, status?: 'True' | 'False' | 'Unknown', details?: ConditionDetails): R;
  toHaveFinalizer(finalizer: string): R;
  /** `expect(plane).toHaveRequested({ verb: 'list', user: 'alice' }, { times: 1 })` */
  toHaveRequested(filter?: RequestFilter, options?: { readonly times?: number }): R;
}
