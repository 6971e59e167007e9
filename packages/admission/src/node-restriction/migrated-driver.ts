/** The CSI drivers that took over volumes of the tree. Upstream: k8s.io/csi-translation-lib/plugins */
const DRIVERS = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  cinder: 'cinder.csi.openstack.org',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
  portworxVolume: 'pxd.portworx.com',
};

/** The driver of a volume without CSI, by its source; "" if no driver took it over. */
export function migratedDriver(source: object): string {
  return Object.entries(DRIVERS).find(([name]) => name in source)?.[1] ?? '';
}
