export { defaultInterfaces, readRouteTables } from './default-interface.js';
export { writeAdminKubeconfig } from './kubeconfig.js';
export { ensureServerIdentity, type ServerIdentity } from './server-identity.js';
export type { ServiceAccountKeyFiles } from './service-account-key.js';
export { defaultAdvertiseAddress, localHost, servingNames } from './serving-names.js';
