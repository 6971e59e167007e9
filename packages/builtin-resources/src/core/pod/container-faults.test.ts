import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const CONTAINER = 'spec.containers[0]';

it.each<[string, object, readonly string[]]>([
  [
    'containers of one name',
    {
      containers: [
        { name: 'c', image: 'i' },
        { name: 'c', image: 'i' },
      ],
    },
    ['spec.containers[1].name: Duplicate value: "c"'],
  ],
  [
    'an init container of the name of a container',
    { initContainers: [{ name: 'c', image: 'i' }] },
    ['spec.initContainers[0].name: Duplicate value: "c"'],
  ],
  [
    'containers without a name or an image',
    {
      containers: [
        { name: '', image: '' },
        { name: 'd', image: ' i ' },
        // Go's white space is not that of JavaScript.
        { name: 'e', image: 'i\u0085' },
        { name: 'f', image: 'i\ufeff' },
      ],
    },
    [
      `${CONTAINER}.name: Required value`,
      `${CONTAINER}.image: Required value`,
      'spec.containers[1].image: Invalid value: " i ": must not have leading or trailing whitespace',
      'spec.containers[2].image: Invalid value: "i\\u0085": must not have leading or trailing whitespace',
    ],
  ],
  [
    'an odd pull policy, termination policy and restart policy',
    {
      containers: [
        { name: 'c', image: 'i', imagePullPolicy: 'Odd', terminationMessagePolicy: 'Odd', restartPolicy: 'Always' },
      ],
    },
    [
      `${CONTAINER}.terminationMessagePolicy: Unsupported value: "Odd": supported values: "File", "FallbackToLogsOnError"`,
      `${CONTAINER}.imagePullPolicy: Unsupported value: "Odd": supported values: "Always", "IfNotPresent", "Never"`,
    ],
  ],
  [
    'an init container with a probe and a lifecycle',
    {
      initContainers: [
        {
          name: 'i',
          image: 'i',
          livenessProbe: { exec: { command: ['a'] } },
          readinessProbe: { exec: { command: ['a'] } },
          startupProbe: { exec: { command: ['a'] } },
          lifecycle: { preStop: { exec: { command: ['a'] } } },
        },
      ],
    },
    [
      'spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      'spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    'an init container that stays, with a probe',
    {
      initContainers: [
        {
          name: 'i',
          image: 'i',
          restartPolicy: 'Always',
          livenessProbe: { exec: { command: ['a'] } },
          lifecycle: { preStop: { exec: { command: ['a'] } } },
        },
      ],
    },
    [],
  ],
  [
    'variables without a name, of an odd name, of two sources',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          env: [
            { name: '' },
            { name: 'a=b' },
            { name: 'a', value: 'v', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            { name: 'b', valueFrom: {} },
            {
              name: 'd',
              valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, configMapKeyRef: { name: 'm', key: 'k' } },
            },
          ],
        },
      ],
    },
    [
      `${CONTAINER}.env[0].name: Required value`,
      `${CONTAINER}.env[1].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
      `${CONTAINER}.env[2].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`,
      `${CONTAINER}.env[3].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`, \`secretKeyRef\` or \`fileKeyRef\``,
      `${CONTAINER}.env[4].valueFrom: Invalid value: "": may not have more than one field specified at a time`,
    ],
  ],
  [
    'variables of odd sources',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          env: [
            { name: 'a', valueFrom: { fieldRef: { apiVersion: 'v2', fieldPath: '' } } },
            { name: 'b', valueFrom: { fieldRef: { fieldPath: 'spec.odd' } } },
            { name: 'c', valueFrom: { resourceFieldRef: { resource: '' } } },
            { name: 'd', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '2' } } },
            { name: 'e', valueFrom: { configMapKeyRef: { name: '', key: '' } } },
            { name: 'f', valueFrom: { secretKeyRef: { name: 's', key: 'a b' } } },
          ],
        },
      ],
    },
    [
      `${CONTAINER}.env[0].valueFrom.fieldRef.fieldPath: Required value`,
      `${CONTAINER}.env[1].valueFrom.fieldRef.fieldPath: Invalid value: "spec.odd": error converting fieldPath: field label not supported: spec.odd`,
      `${CONTAINER}.env[2].valueFrom.resourceFieldRef.resource: Required value`,
      `${CONTAINER}.env[3].valueFrom.resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
      `${CONTAINER}.env[4].valueFrom.configMapKeyRef.name: Invalid value: "": ${SUBDOMAIN}`,
      `${CONTAINER}.env[4].valueFrom.configMapKeyRef.key: Required value`,
      `${CONTAINER}.env[5].valueFrom.secretKeyRef.key: Invalid value: "a b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`,
    ],
  ],
  [
    'sources of variables without names or two',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          envFrom: [
            {},
            { configMapRef: { name: '' } },
            { secretRef: { name: '' } },
            { configMapRef: { name: 'a' }, secretRef: { name: 'b' } },
            { prefix: '=', configMapRef: { name: 'a' } },
          ],
        },
      ],
    },
    [
      `${CONTAINER}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``,
      `${CONTAINER}.envFrom[1].configMapRef.name: Required value`,
      `${CONTAINER}.envFrom[2].secretRef.name: Required value`,
      `${CONTAINER}.envFrom: Invalid value: "": may not have more than one field specified at a time`,
      `${CONTAINER}.envFrom[4].prefix: Invalid value: "=": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
