import { silentLogger } from '@apiserver/apiserver-contracts';
import { expect, it } from 'vitest';
import { consoleLogger } from './console-logger.js';

it('writes lines up to its verbosity to the console', () => {
  const lines: string[] = [];
  const logger = consoleLogger({ verbosity: 2, console: { error: (line: string) => lines.push(line) } });
  logger.named('sea').info('Tide', { height: 3 });
  logger.v(2)?.warning('Storm');
  logger.v(3)?.info('Wave');
  logger.error(Object.assign(new Error('no wind'), { code: 'CALM' }), 'Unable to sail');
  expect(lines.map((line) => line.replace(/^(.)\d{4} [\d:.]+ +\d+ /, '$1 '))).toEqual([
    'I sea] "Tide" height=3',
    'W kube-apiserver] Storm',
    'E kube-apiserver] "Unable to sail" err="no wind"',
  ]);
});

it('can be silent', () => {
  expect(silentLogger.v(0)).toBeUndefined();
  expect(silentLogger.named('sea')).toBe(silentLogger);
});
