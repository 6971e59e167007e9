import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

it.each<[string, object, readonly string[]]>([
  [
    'a managed disk by a blob URI',
    { volumes: [{ name: 'v', azureDisk: { diskName: 'd', diskURI: 'https://x', kind: 'Managed' } }] },
    [
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "https://x": supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"',
    ],
  ],
  [
    'a shared disk by a managed URI',
    { volumes: [{ name: 'v', azureDisk: { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Shared' } }] },
    [
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "/subscriptions/x": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  ],
  [
    'a disk without a name, of an odd kind and mode',
    { volumes: [{ name: 'v', azureDisk: { diskName: '', diskURI: '', kind: 'Odd', cachingMode: 'Odd' } }] },
    [
      'spec.volumes[0].azureDisk.diskName: Required value',
      'spec.volumes[0].azureDisk.diskURI: Required value',
      'spec.volumes[0].azureDisk.cachingMode: Unsupported value: "Odd": supported values: "None", "ReadOnly", "ReadWrite"',
      'spec.volumes[0].azureDisk.kind: Unsupported value: "Odd": supported values: "Dedicated", "Managed", "Shared"',
      'spec.volumes[0].azureDisk.diskURI: Unsupported value: "": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
    ],
  ],
  [
    'an Azure file without names',
    { volumes: [{ name: 'v', azureFile: { secretName: '', shareName: '' } }] },
    ['spec.volumes[0].azureFile.secretName: Required value', 'spec.volumes[0].azureFile.shareName: Required value'],
  ],
  [
    'sources without their names',
    {
      volumes: [
        { name: 'a', nfs: { server: '', path: '' } },
        { name: 'b', iscsi: { targetPortal: '', iqn: '', lun: 256 } },
        { name: 'c', glusterfs: { endpoints: '', path: '' } },
        { name: 'd', rbd: { monitors: [], image: '' } },
        { name: 'e', cephfs: { monitors: [] } },
        { name: 'f', gcePersistentDisk: { pdName: '', partition: 256 } },
        { name: 'g', awsElasticBlockStore: { volumeID: '', partition: -1 } },
        { name: 'h', cinder: { volumeID: '', secretRef: { name: '' } } },
      ],
    },
    [
      'spec.volumes[0].nfs.server: Required value',
      'spec.volumes[0].nfs.path: Required value',
      'spec.volumes[0].nfs.path: Invalid value: "": must be an absolute path',
      'spec.volumes[1].iscsi.targetPortal: Required value',
      'spec.volumes[1].iscsi.iqn: Required value',
      'spec.volumes[1].iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'spec.volumes[2].glusterfs.endpoints: Required value',
      'spec.volumes[2].glusterfs.path: Required value',
      'spec.volumes[3].rbd.monitors: Required value',
      'spec.volumes[3].rbd.image: Required value',
      'spec.volumes[4].cephfs.monitors: Required value',
      'spec.volumes[5].persistentDisk.pdName: Required value',
      'spec.volumes[5].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive',
      'spec.volumes[6].awsElasticBlockStore.volumeID: Required value',
      'spec.volumes[6].awsElasticBlockStore.partition: Invalid value: -1: must be between 1 and 255, inclusive',
      'spec.volumes[7].cinder.volumeID: Required value',
      'spec.volumes[7].cinder.secretRef.name: Required value',
    ],
  ],
  [
    'more sources without their names',
    {
      volumes: [
        { name: 'a', quobyte: { registry: '', volume: '' } },
        { name: 'b', flocker: {} },
        { name: 'c', photonPersistentDisk: { pdID: '' } },
        { name: 'd', portworxVolume: { volumeID: '' } },
        { name: 'e', scaleIO: { gateway: '', system: '', volumeName: '', secretRef: { name: '' } } },
        { name: 'f', vsphereVolume: { volumePath: '' } },
        { name: 'g', flexVolume: { driver: '' } },
        { name: 'h', fc: {} },
        { name: 'i', storageos: {} },
        { name: 'j', csi: { driver: '' } },
        { name: 'k', image: { reference: '' } },
      ],
    },
    [
      'spec.volumes[0].quobyte.registry: Required value: must be a host:port pair or multiple pairs separated by commas',
      'spec.volumes[0].quobyte.volume: Required value',
      'spec.volumes[1].flocker: Required value: one of datasetName and datasetUUID is required',
      'spec.volumes[2].photonPersistentDisk.pdID: Required value',
      'spec.volumes[3].portworxVolume.volumeID: Required value',
      'spec.volumes[4].scaleIO.gateway: Required value',
      'spec.volumes[4].scaleIO.system: Required value',
      'spec.volumes[4].scaleIO.volumeName: Required value',
      'spec.volumes[5].vsphereVolume.volumePath: Required value',
      'spec.volumes[6].flexVolume.driver: Required value',
      'spec.volumes[7].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both',
      'spec.volumes[8].storageos.volumeName: Required value',
      'spec.volumes[9].csi.driver: Required value',
      'spec.volumes[10].image.reference: Required value',
    ],
  ],
  [
    'relative NFS and odd flocker',
    {
      volumes: [
        { name: 'a', nfs: { server: 's', path: 'p' } },
        { name: 'b', flocker: { datasetName: 'a/b', datasetUUID: 'u' } },
        {
          name: 'c',
          quobyte: {
            registry: 'a',
            volume: 'v',
            // Counted in bytes.
            tenant: 'é'.repeat(33),
          },
        },
        { name: 'd', fc: { targetWWNs: ['a'], wwids: ['b'], lun: 256 } },
        { name: 'e', fc: { targetWWNs: ['a'], lun: 256 } },
        { name: 'f', iscsi: { targetPortal: 'p', iqn: 'x', lun: 1, chapAuthDiscovery: true } },
        { name: 'g', iscsi: { targetPortal: 'p', iqn: 'iqn.2015-02.example:x', lun: 1, initiatorName: 'odd' } },
      ],
    },
    [
      'spec.volumes[0].nfs.path: Invalid value: "p": must be an absolute path',
      'spec.volumes[1].flocker: Invalid value: "resource": datasetName and datasetUUID can not be specified simultaneously',
      `spec.volumes[1].flocker.datasetName: Invalid value: "a/b": must not contain '/'`,
      'spec.volumes[2].quobyte.tenant: Required value: must be a UUID and may not exceed a length of 64 characters',
      'spec.volumes[3].fc.targetWWNs: Invalid value: ["a"]: targetWWNs and wwids can not be specified simultaneously',
      'spec.volumes[3].fc.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'spec.volumes[4].fc.lun: Invalid value: 256: must be between 0 and 255, inclusive',
      'spec.volumes[5].iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
      'spec.volumes[5].iscsi.secretRef: Required value',
      'spec.volumes[6].iscsi.initiatorname: Invalid value: "odd": must be valid format starting with iqn, eui, or naa',
    ],
  ],
  [
    'volumes of two sources, none, one name, a bad name',
    {
      volumes: [
        { name: 'a', emptyDir: {}, hostPath: { path: '/' } },
        { name: 'b' },
        { name: 'a', emptyDir: {} },
        { name: 'B', emptyDir: {} },
        { name: '', emptyDir: {} },
      ],
    },
    [
      'spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type',
      `spec.volumes[3].name: Invalid value: "B": ${LABEL}`,
      'spec.volumes[4].name: Required value',
    ],
  ],
  [
    'odd paths of the host',
    {
      volumes: [
        { name: 'a', hostPath: { path: '' } },
        { name: 'b', hostPath: { path: '/../a' } },
        { name: 'c', hostPath: { path: '/', type: 'Odd' } },
      ],
    },
    [
      'spec.volumes[0].hostPath.path: Required value',
      `spec.volumes[1].hostPath.path: Invalid value: "/../a": must not contain '..'`,
      'spec.volumes[2].hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
  [
    'odd amounts of an empty directory',
    {
      volumes: [
        { name: 'a', emptyDir: { sizeLimit: '-1' } },
        { name: 'b', emptyDir: { medium: 'HugePages-2Mi' } },
        { name: 'c', emptyDir: { medium: 'HugePages-x' } },
      ],
    },
    ['spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  ],
  [
    'odd modes and keys of a config map and a secret',
    {
      volumes: [
        {
          name: 'a',
          configMap: {
            name: '',
            defaultMode: 512,
            items: [
              { key: '', path: '' },
              { key: 'k', path: '/p', mode: -1 },
            ],
          },
        },
        { name: 'b', secret: { defaultMode: 512, items: [{ key: 'k', path: '../p' }] } },
      ],
    },
    [
      'spec.volumes[0].configMap.name: Required value',
      'spec.volumes[0].configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[0].configMap.items[0].key: Required value',
      'spec.volumes[0].configMap.items[0].path: Required value',
      'spec.volumes[0].configMap.items[1].path: Invalid value: "/p": must be a relative path',
      'spec.volumes[0].configMap.items[1].mode: Invalid value: -1: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[1].secret.secretName: Required value',
      'spec.volumes[1].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      `spec.volumes[1].secret.items[0].path: Invalid value: "../p": must not contain '..'`,
    ],
  ],
  [
    'an odd downward API',
    {
      volumes: [
        {
          name: 'a',
          downwardAPI: {
            defaultMode: 512,
            items: [
              { path: 'p' },
              { path: 'q', fieldRef: { fieldPath: 'odd' } },
              { path: 'r', fieldRef: { fieldPath: 'metadata.name' }, resourceFieldRef: { resource: 'limits.cpu' } },
              { path: 's', resourceFieldRef: { resource: 'limits.cpu' } },
              { path: 't', resourceFieldRef: { containerName: 'c', resource: 'odd' } },
              { path: '', mode: 512, fieldRef: { fieldPath: "metadata.labels['A B']" } },
            ],
          },
        },
      ],
    },
    [
      'spec.volumes[0].downwardAPI.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required',
      'spec.volumes[0].downwardAPI.fieldRef.fieldPath: Invalid value: "odd": error converting fieldPath: field label not supported: odd',
      'spec.volumes[0].downwardAPI: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
      'spec.volumes[0].downwardAPI.resourceFieldRef.containerName: Required value',
      'spec.volumes[0].downwardAPI.resourceFieldRef.resource: Unsupported value: "odd": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
      'spec.volumes[0].downwardAPI.path: Required value',
      `spec.volumes[0].downwardAPI.fieldRef: Invalid value: "A B": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'spec.volumes[0].downwardAPI.mode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
