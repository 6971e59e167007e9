import type { LoopbackClient } from '@apiserver/apiserver-contracts';

/**
 * The context of a post-start hook. Compatible with PostStartHookContext of generic-server.
 * Upstream: k8s.io/apiserver/pkg/server.PostStartHookContext
 */
export interface ControllerContext {
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/** A post-start hook with its name. The server is not ready before `run` resolves. */
export interface ControllerHook {
  readonly name: string;
  run(context: ControllerContext): Promise<void>;
}
