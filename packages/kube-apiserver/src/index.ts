/** The Kubernetes API server as a library: start one inside a program, or build one from options. */

export { StartupError } from '@apiserver/component-base/process';
export { runCommand } from './command/run-command.js';
export type { CommandEnvironment } from './command-environment.js';
export {
  type CompletedKubeApiServerConfig,
  completeKubeApiServerConfig,
  type KubeApiServerConfig,
} from './config/kube-api-server-config.js';
export { KubeApiserverOptions } from './options/kube-apiserver-options.js';
export { createServerChain } from './server/create-server-chain.js';
export { type ConfigOfOptions, type PrepareConfigOptions, prepareKubeApiServerConfig } from './start/prepare-config.js';
export { SharedContext } from './start/shared-context.js';
export { type RunningKubeApiserver, type StartOptions, startKubeApiserver } from './start/start-kube-apiserver.js';
