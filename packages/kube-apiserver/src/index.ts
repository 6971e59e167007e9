/** The Kubernetes API server as a library: start one inside a program, or build one from options. */
export type { CommandEnvironment } from './command/command-environment.js';
export { runCommand } from './command/run-command.js';
export { StartupError } from './first-start/startup-error.js';
export { KubeApiserverOptions } from './options/kube-apiserver-options.js';
export { createServerChain, type ServerChain } from './server/create-server-chain.js';
export {
  type CompletedKubeApiServerConfig,
  completeKubeApiServerConfig,
  type KubeApiServerConfig,
} from './server/kube-api-server-config.js';
export { type RunningKubeApiserver, type StartOptions, startKubeApiserver } from './start/start-kube-apiserver.js';
