/** What kube-apiserver runs beside its APIs. */
export {
  type HookContext,
  type SystemNamespacesHook,
  type SystemNamespacesOptions,
  systemNamespacesController,
} from './system-namespaces/system-namespaces-controller.js';
