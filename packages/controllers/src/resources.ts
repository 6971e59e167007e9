/** The resources that controllers read and write. */
export const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' };
export const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' };
export const PERSISTENT_VOLUME_CLAIMS = { group: '', version: 'v1', resource: 'persistentvolumeclaims' };
export const PERSISTENT_VOLUMES = { group: '', version: 'v1', resource: 'persistentvolumes' };
export const PODS = { group: '', version: 'v1', resource: 'pods' };
export const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
export const SERVICE_ACCOUNTS = { group: '', version: 'v1', resource: 'serviceaccounts' };
export const CUSTOM_RESOURCE_DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
export const API_SERVICES = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
export const JOBS = { group: 'batch', version: 'v1', resource: 'jobs' };
export const IP_ADDRESSES = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
export const SERVICE_CIDRS = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };
export const POD_GROUPS = { group: 'scheduling.k8s.io', version: 'v1alpha2', resource: 'podgroups' };
export const VOLUME_ATTRIBUTES_CLASSES = {
  group: 'storage.k8s.io',
  version: 'v1',
  resource: 'volumeattributesclasses',
};
