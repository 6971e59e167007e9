/**
 * A control plane cannot do what the test wants: an unknown option, a file that cannot be read, a plane that has ended.
 */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
}
