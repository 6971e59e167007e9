import type { Status } from '@apiserver/apimachinery';
import { isStatusError, messageOf, newInternalError } from '@apiserver/apimachinery/errors';

/** Upstream: NonZeroExitCodeReason and ExitCodeCauseType of k8s.io/apimachinery/pkg/util/remotecommand */
const NON_ZERO_EXIT_CODE = 'NonZeroExitCode';
const EXIT_CODE = 'ExitCode';

/**
 * The versions of the remote-command protocol, newest first. Upstream: NewSPDYExecutor in client-go/tools/remotecommand
 */
export const REMOTE_COMMAND_PROTOCOLS = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
] as const;

/** The result of a command: a Status without apiVersion and kind, as upstream writes it. */
export type CommandStatus = Omit<Status, 'apiVersion' | 'kind'>;

const success: CommandStatus = { metadata: {}, status: 'Success' };

/** Converts an error to the result of a command. */
export function failureOf(error: unknown): CommandStatus {
  const status = isStatusError(error) ? error.status : newInternalError(error).status;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = status;
  return rest;
}

/**
 * Parses a message of the error stream: a Status since version 4, plain text before. Throws an Error if it is no
 * result of a command.
 * Upstream: errorDecoderV4 and errorDecoderV2 in client-go/tools/remotecommand
 */
export function commandStatus(protocol: string, message: string): CommandStatus {
  if (message === '') return success;
  if (!/^v[45]\./.test(protocol)) throw new Error(`error executing remote command: ${message}`);
  const status = parsedStatus(message);
  if (status.status === 'Success') return success;
  if (status.status !== 'Failure') throw new Error('error stream protocol error: unknown error');
  if (status.reason !== NON_ZERO_EXIT_CODE) throw new Error(status.message ?? '');
  if (status.details === undefined) throw new Error('error stream protocol error: details must be set');
  const cause = status.details.causes?.find(({ reason }) => reason === EXIT_CODE);
  if (cause === undefined) throw new Error(`error stream protocol error: no ${EXIT_CODE} cause given`);
  return exited(cause.message ?? '');
}

/** The result of a command with a non-zero exit code. */
function exited(code: string): CommandStatus {
  if (!/^\d+$/.test(code) || Number(code) > 255) {
    throw new Error(`error stream protocol error: invalid exit code value "${code}"`);
  }
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: command terminated with exit code ${Number(code)}`,
    reason: NON_ZERO_EXIT_CODE,
    details: { causes: [{ reason: EXIT_CODE, message: String(Number(code)) }] },
  };
}

function parsedStatus(message: string): Partial<Status> {
  try {
    return JSON.parse(message);
  } catch (error) {
    const why = messageOf(error);
    throw new Error(`error stream protocol error: ${why} in ${JSON.stringify(message)}`);
  }
}
