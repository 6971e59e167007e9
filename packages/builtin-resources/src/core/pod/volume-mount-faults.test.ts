import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

it.each<[string, object, readonly string[]]>([
  [
    'a volume of another kind as a device',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [{ name: 'c', image: 'i', volumeDevices: [{ name: 'v', devicePath: '/d' }] }],
    },
    [
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
  ],
  [
    'devices of one path',
    {
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'a' } },
        { name: 'w', persistentVolumeClaim: { claimName: 'b' } },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeDevices: [
            { name: 'v', devicePath: '/d' },
            { name: 'w', devicePath: '/d' },
          ],
        },
      ],
    },
    ['spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/d": must be unique'],
  ],
  [
    'a device twice',
    {
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'a' } }],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeDevices: [
            { name: 'v', devicePath: '/d' },
            { name: 'v', devicePath: '/e' },
          ],
        },
      ],
    },
    ['spec.containers[0].volumeDevices[1].name: Invalid value: "v": must be unique'],
  ],
  [
    'a device that is mounted too',
    {
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'a' } },
        { name: 'w', persistentVolumeClaim: { claimName: 'b' } },
      ],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [{ name: 'v', mountPath: '/m' }],
          volumeDevices: [
            { name: 'v', devicePath: '/d' },
            { name: 'w', devicePath: '/m' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeMounts[0].name: Invalid value: "v": must not already exist in volumeDevices',
      'spec.containers[0].volumeMounts[0].mountPath: Invalid value: "/m": must not already exist as a path in volumeDevices',
      'spec.containers[0].volumeDevices[0].name: Invalid value: "v": must not already exist in volumeMounts',
      'spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/m": must not already exist as a path in volumeMounts',
    ],
  ],
  [
    'devices without a name, a path or a volume',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeDevices: [
            { name: '', devicePath: '' },
            { name: 'gone', devicePath: '/../d' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeDevices[0].name: Required value',
      'spec.containers[0].volumeDevices[0].name: Not found: ""',
      'spec.containers[0].volumeDevices[0].devicePath: Required value',
      'spec.containers[0].volumeDevices[1].name: Not found: "gone"',
      `spec.containers[0].volumeDevices[1].devicePath: Invalid value: "/../d": can not contain backsteps ('..')`,
    ],
  ],
  [
    'mounts of one path',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [
            { name: 'v', mountPath: '/m' },
            { name: 'v', mountPath: '/m' },
          ],
        },
      ],
    },
    ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/m": must be unique'],
  ],
  [
    'mounts without a name, a path or a volume',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [
            { name: '', mountPath: '' },
            { name: 'gone', mountPath: '/m' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeMounts[0].name: Required value',
      'spec.containers[0].volumeMounts[0].name: Not found: ""',
      'spec.containers[0].volumeMounts[0].mountPath: Required value',
      'spec.containers[0].volumeMounts[1].name: Not found: "gone"',
    ],
  ],
  [
    'a mount of both subpaths',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        { name: 'c', image: 'i', volumeMounts: [{ name: 'v', mountPath: '/m', subPath: 'a', subPathExpr: 'b' }] },
      ],
    },
    [
      'spec.containers[0].volumeMounts[0].subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive',
    ],
  ],
  [
    'mounts of bad subpaths',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [
            { name: 'v', mountPath: '/m', subPath: '/a' },
            { name: 'v', mountPath: '/n', subPathExpr: '../b' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeMounts.subPath: Invalid value: "/a": must be a relative path',
      `spec.containers[0].volumeMounts.subPathExpr: Invalid value: "../b": must not contain '..'`,
    ],
  ],
  [
    'a mount that propagates without privileges',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [
            { name: 'v', mountPath: '/m', mountPropagation: 'Bidirectional' },
            { name: 'v', mountPath: '/n', mountPropagation: 'Odd' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers',
      'spec.containers[0].volumeMounts.mountPropagation: Unsupported value: "Odd": supported values: "Bidirectional", "HostToContainer", "None"',
    ],
  ],
  [
    'recursive read-only mounts',
    {
      volumes: [{ name: 'v', emptyDir: {} }],
      containers: [
        {
          name: 'c',
          image: 'i',
          volumeMounts: [
            { name: 'v', mountPath: '/a', recursiveReadOnly: 'Enabled' },
            { name: 'v', mountPath: '/b', recursiveReadOnly: 'Odd' },
            {
              name: 'v',
              mountPath: '/c',
              readOnly: true,
              recursiveReadOnly: 'IfPossible',
              mountPropagation: 'HostToContainer',
            },
            { name: 'v', mountPath: '/d', recursiveReadOnly: 'Disabled' },
          ],
        },
      ],
    },
    [
      'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Unsupported value: "Odd": supported values: "Disabled", "Enabled", "IfPossible"',
      'spec.containers[0].volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified',
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
