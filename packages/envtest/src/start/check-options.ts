import { ControlPlaneError } from '@apiserver/test-powers';
import type { ControlPlaneOptions } from '../control-plane.js';

/** All names, so that the compiler refuses an option that is not checked. */
const known: Readonly<Record<keyof ControlPlaneOptions, true>> = {
  crds: true,
  objects: true,
  webhooks: true,
  webhookServer: true,
  controllers: true,
  flags: true,
  storage: true,
  clock: true,
  from: true,
  logger: true,
  configure: true,
};

/** Flags of what a plane arranges itself. */
const OWN_FLAGS =
  /^--(?:bind-address|cert-dir|client-ca-file|data-dir|etcd-servers|storage-backend|tls-cert-file)(?:=|$)/;

/** Throws a ControlPlaneError that names each unknown option, or a flag that the plane sets itself. */
export function checkOptions(options: ControlPlaneOptions): void {
  const own = options.flags?.find((flag) => OWN_FLAGS.test(flag));
  if (own !== undefined) throw new ControlPlaneError(`flags: ${own}: a control plane arranges this itself`);
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return;
  const names = Object.keys(known).sort().join(', ');
  throw new ControlPlaneError(
    `unknown option${unknown.length === 1 ? '' : 's'} of startControlPlane: ${unknown.join(', ')} (known: ${names})`,
  );
}
