import type { LoopbackClient } from '@apiserver/apiserver-contracts';

/** What a post-start hook is given. Fits k8s.io/apiserver/pkg/server.PostStartHookContext as generic-server has it. */
export interface ControllerContext {
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  readonly loopbackClient: LoopbackClient;
}

/** A hook to add to a server under its name. The server is not ready before `run` resolves. */
export interface ControllerHook {
  readonly name: string;
  run(context: ControllerContext): Promise<void>;
}
