import { expect, it } from 'vitest';
import { podFaults } from '../../testing/pod-faults.js';

const CONTAINER = 'spec.containers[0]';

it.each<[string, object, readonly string[]]>([
  [
    'a probe of no action',
    { containers: [{ name: 'c', image: 'i', livenessProbe: {} }] },
    [`${CONTAINER}.livenessProbe: Required value: must specify a handler type`],
  ],
  [
    'a probe of two actions',
    { containers: [{ name: 'c', image: 'i', livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 80 } } }] },
    [`${CONTAINER}.livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`],
  ],
  [
    'a probe of odd times',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          livenessProbe: {
            exec: { command: [] },
            initialDelaySeconds: -1,
            timeoutSeconds: -1,
            periodSeconds: -1,
            failureThreshold: -1,
            successThreshold: 2,
            terminationGracePeriodSeconds: 0,
          },
        },
      ],
    },
    [
      `${CONTAINER}.livenessProbe.exec.command: Required value`,
      `${CONTAINER}.livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${CONTAINER}.livenessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${CONTAINER}.livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
      `${CONTAINER}.livenessProbe.failureThreshold: Invalid value: -1: must be greater than or equal to 0`,
      `${CONTAINER}.livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0`,
      `${CONTAINER}.livenessProbe.successThreshold: Invalid value: 2: must be 1`,
    ],
  ],
  [
    'an HTTP probe without path and port',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          livenessProbe: { httpGet: { path: '', port: 0, scheme: 'odd', httpHeaders: [{ name: 'a b', value: '' }] } },
        },
      ],
    },
    [
      `${CONTAINER}.livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
      `${CONTAINER}.livenessProbe.httpGet.scheme: Unsupported value: "odd": supported values: "HTTP", "HTTPS"`,
      `${CONTAINER}.livenessProbe.httpGet.httpHeaders: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
    ],
  ],
  [
    'a gRPC probe of no port',
    { containers: [{ name: 'c', image: 'i', livenessProbe: { grpc: { port: 0 } } }] },
    [`${CONTAINER}.livenessProbe.grpc.port: Invalid value: 0: must be between 1 and 65535, inclusive`],
  ],
  [
    'a TCP probe of an odd port',
    { containers: [{ name: 'c', image: 'i', livenessProbe: { tcpSocket: { port: 'UPPER' } } }] },
    [
      `${CONTAINER}.livenessProbe.tcpSocket.port: Invalid value: "UPPER": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${CONTAINER}.livenessProbe.tcpSocket.port: Invalid value: "UPPER": must contain at least one letter (a-z)`,
    ],
  ],
  [
    'a readiness probe with a grace period',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          readinessProbe: { exec: { command: ['a'] }, terminationGracePeriodSeconds: 5, successThreshold: 3 },
        },
      ],
    },
    [
      `${CONTAINER}.readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: must not be set for readinessProbes`,
    ],
  ],
  [
    'a startup probe that must succeed twice',
    { containers: [{ name: 'c', image: 'i', startupProbe: { exec: { command: ['a'] }, successThreshold: 2 } }] },
    [`${CONTAINER}.startupProbe.successThreshold: Invalid value: 2: must be 1`],
  ],
  [
    'a lifecycle of no action, of two, of an odd wait',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          lifecycle: { preStop: {}, postStart: { exec: { command: ['a'] }, sleep: { seconds: 1 } } },
        },
      ],
    },
    [
      `${CONTAINER}.lifecycle.postStart.sleep: Forbidden: may not specify more than 1 handler type`,
      `${CONTAINER}.lifecycle.preStop: Required value: must specify a handler type`,
    ],
  ],
  [
    'a wait that is longer than the grace period',
    {
      terminationGracePeriodSeconds: 5,
      containers: [{ name: 'c', image: 'i', lifecycle: { preStop: { sleep: { seconds: 6 } } } }],
    },
    [
      `${CONTAINER}.lifecycle.preStop.sleep: Invalid value: 6: must be non-negative and less than terminationGracePeriodSeconds (5)`,
    ],
  ],
  [
    'odd ports',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          ports: [
            { containerPort: 0 },
            { containerPort: 65536 },
            { containerPort: 80, hostPort: 65536, protocol: 'ODD' },
            { containerPort: 80, name: 'UPPER' },
            { containerPort: 81, name: 'a' },
            { containerPort: 82, name: 'a' },
          ],
        },
      ],
    },
    [
      `${CONTAINER}.ports[0].containerPort: Required value`,
      `${CONTAINER}.ports[1].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
      `${CONTAINER}.ports[2].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
      `${CONTAINER}.ports[2].protocol: Unsupported value: "ODD": supported values: "SCTP", "TCP", "UDP"`,
      `${CONTAINER}.ports[3].name: Invalid value: "UPPER": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${CONTAINER}.ports[3].name: Invalid value: "UPPER": must contain at least one letter (a-z)`,
      `${CONTAINER}.ports[5].name: Duplicate value: "a"`,
    ],
  ],
  [
    'one port of the host twice',
    {
      containers: [
        { name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 80 }] },
        {
          name: 'd',
          image: 'i',
          ports: [
            { containerPort: 81, hostPort: 80 },
            { containerPort: 81, hostPort: 80, protocol: 'UDP' },
            { containerPort: 81, hostPort: 80, hostIP: '1.2.3.4' },
          ],
        },
      ],
    },
    ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"'],
  ],
  [
    'ports of its host that differ',
    { hostNetwork: true, containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 81 }] }] },
    [`${CONTAINER}.ports[0].hostPort: Invalid value: 81: must match \`containerPort\` when \`hostNetwork\` is true`],
  ],
  [
    'resources beyond their limits, negative, fractional',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: {
            requests: { cpu: '2', memory: '-1', 'example.com/a': '1500m' },
            limits: { cpu: '1', 'example.com/a': '1500m' },
          },
        },
      ],
    },
    [
      `${CONTAINER}.resources.limits[example.com/a]: Invalid value: "1500m": must be an integer`,
      `${CONTAINER}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
      `${CONTAINER}.resources.requests[example.com/a]: Invalid value: "1500m": must be an integer`,
      `${CONTAINER}.resources.requests[memory]: Invalid value: "-1": must be greater than or equal to 0`,
    ],
  ],
  [
    'an extended resource without a limit, and one beyond',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          resources: { requests: { 'example.com/a': '1', 'example.com/b': '2' }, limits: { 'example.com/b': '3' } },
        },
      ],
    },
    [
      `${CONTAINER}.resources.requests: Invalid value: "2": must be equal to example.com/b limit of 3`,
      `${CONTAINER}.resources.limits: Required value: Limit must be set for non overcommitable resources`,
    ],
  ],
  [
    'a resize policy of odd members',
    {
      containers: [
        {
          name: 'c',
          image: 'i',
          resizePolicy: [
            { resourceName: 'odd', restartPolicy: 'NotRequired' },
            { resourceName: 'cpu', restartPolicy: '' },
            { resourceName: 'cpu', restartPolicy: 'Odd' },
          ],
        },
      ],
    },
    [
      `${CONTAINER}.resizePolicy: Unsupported value: "odd": supported values: "cpu", "memory"`,
      `${CONTAINER}.resizePolicy: Required value`,
      `${CONTAINER}.resizePolicy[2]: Duplicate value: "cpu"`,
      `${CONTAINER}.resizePolicy: Unsupported value: "Odd": supported values: "NotRequired", "RestartContainer"`,
    ],
  ],
])('a pod with %s', (_what, spec, faults) => {
  expect(podFaults(spec)).toEqual(faults);
});
