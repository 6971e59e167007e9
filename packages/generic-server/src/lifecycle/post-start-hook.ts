import type { LoopbackClient } from '@apiserver/apiserver-contracts';

/** Arguments of a post-start hook. */
export interface PostStartHookContext {
  /** Aborted when shutdown starts, to end the loops of a hook. */
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/**
 * Runs once the server serves. /readyz and /livez report "[-]poststarthook/<name>" until it has resolved; a rejection
 * ends the server. Lasting work must follow `context.signal`.
 */
export type PostStartHook = (context: PostStartHookContext) => Promise<void> | void;
