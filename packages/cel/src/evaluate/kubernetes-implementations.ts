import { libraryImplementations } from '../libraries/kubernetes-implementations.js';
import type { Implementations } from '../values/implementation.js';
import { OPTIONAL_IMPLEMENTATIONS } from './optional-functions.js';
import { standardImplementations } from './standard-functions.js';

/** The functions of Kubernetes 1.36, by overload. Make them once. */
export function kubernetesImplementations(): Implementations {
  return { ...standardImplementations(), ...OPTIONAL_IMPLEMENTATIONS, ...libraryImplementations() };
}
