import { sliceTurn } from '@apiserver/apimachinery/clock';
import type { AdmissionAttributes, Authorizer, UserInfo } from '@apiserver/apiserver-contracts';
import {
  type AuthorizationCheck,
  AuthorizationDecisions,
  type CheckDecision,
  dynView,
  type Value,
} from '@apiserver/cel';
import type { SelectedVersion } from '../admission-request-head.js';
import { requestTimeout } from '../request-timeout.js';
import { admissionRequest } from './admission-request.js';
import { decideCheck } from './decide-check.js';

/** Milliseconds for which the expressions of one request may block the event loop, besides the last one. */
const TURN_MS = 4;

const NOBODY: UserInfo = { name: '', groups: [], extra: {} };

/**
 * State that the evaluations of one request share: the decisions of the authorizer, the value of `request`, and the
 * turn of the event loop.
 *
 * Upstream: NewCachingAuthorizer in k8s.io/apiserver/pkg/admission/plugin/authorizer
 */
export class EvaluationContext {
  readonly decisions = new AuthorizationDecisions();
  readonly #authorizer: Authorizer;
  readonly #attributes: AdmissionAttributes;
  /** The value of `request` in the version that the last policy selected. */
  #shown: (SelectedVersion & { readonly value: Value }) | undefined;
  #turnEnd = performance.now() + TURN_MS;

  constructor(authorizer: Authorizer, attributes: AdmissionAttributes) {
    this.#authorizer = authorizer;
    this.#attributes = attributes;
  }

  /** Asks the authorizer. Does not reject. */
  decide(check: AuthorizationCheck): Promise<CheckDecision> | CheckDecision {
    const { user = NOBODY, signal } = this.#attributes;
    return decideCheck(this.#authorizer, user, check, signal);
  }

  /** The value of `request` in a version. It is made once where all policies select the same one. */
  requestIn({ kind, resource }: SelectedVersion): Value {
    if (this.#shown?.kind !== kind || this.#shown.resource !== resource) {
      this.#shown = { kind, resource, value: dynView(admissionRequest(this.#attributes, { kind, resource })) };
    }
    return this.#shown.value;
  }

  /** True if other requests should have the event loop now. */
  get isTurnOver(): boolean {
    return performance.now() >= this.#turnEnd;
  }

  /** Rejects with a 504 if the request is over, so that no long evaluation goes on without a client. */
  async nextTurn(): Promise<void> {
    await sliceTurn();
    if (this.#attributes.signal.aborted) throw requestTimeout();
    this.#turnEnd = performance.now() + TURN_MS;
  }
}
