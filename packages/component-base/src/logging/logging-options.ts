import type { FieldError } from '@apiserver/apimachinery/field';
import { FieldPath, fieldForbidden, fieldInvalid } from '@apiserver/apimachinery/field';
import { Quantity } from '@apiserver/apimachinery/values';
import type { FlagSet } from '../flags/flag-set.js';
import type { FlagValue } from '../flags/flag-value.js';
import { field } from '../flags/flag-value.js';
import { formatGoDuration } from '../flags/go-duration.js';
import type { LogFormat, LogOutputOptions } from './log-output.js';
import { quantityValue } from './quantity-value.js';
import type { VModulePattern } from './vmodule.js';
import { formatVModule, parseVerbosity, parseVModule } from './vmodule.js';

/** Options of the streams of one format. */
export interface StreamOptions {
  /** Write errors to stderr and all else to stdout. */
  splitStream: boolean;
  /** Size of the buffer for lines on stdout, as given; "0" for none. */
  infoBufferSize: string;
}

const formats: readonly LogFormat[] = ['json', 'text'];

/** Options of logging. Upstream: k8s.io/component-base/logs/api/v1.LoggingConfiguration */
export class LoggingOptions {
  /** `--logging-format`: text or json. */
  format = 'text';
  /** `-v`, `--v`. */
  verbosity = 0;
  /** `--vmodule`. */
  vmodule: readonly VModulePattern[] = [];
  /**
   * `--log-flush-frequency`, in milliseconds: the longest delay of a line. Lines of a start and buffered ones are
   * delayed.
   */
  flushFrequency = 5_000;

  /** `--log-json-*`, `--log-text-*` */
  readonly streams: Readonly<Record<LogFormat, StreamOptions>> = {
    json: { splitStream: false, infoBufferSize: '0' },
    text: { splitStream: false, infoBufferSize: '0' },
  };

  addFlags(flags: FlagSet): void {
    for (const format of formats) this.#addStreamFlags(flags, format);
    flags.duration(
      'log-flush-frequency',
      field(this, 'flushFrequency'),
      'Maximum time between log flushes. Without a buffer, only lines of the start are delayed.',
    );
    flags.string('logging-format', field(this, 'format'), `Format of log lines: ${formats.join(', ')}.`);
    flags.add('v', this.#verbosityValue(), 'Verbosity of the log; 2 is recommended for a running cluster.', {
      shorthand: 'v',
    });
    flags.add(
      'vmodule',
      this.#vmoduleValue(),
      'Comma-separated pattern=N pairs that set the verbosity of components whose names match; text format only.',
    );
  }

  #addStreamFlags(flags: FlagSet, format: LogFormat): void {
    const gate = 'Requires the feature gate LoggingAlphaOptions.';
    flags.bool(
      `log-${format}-split-stream`,
      field(this.streams[format], 'splitStream'),
      `In the format ${format}, write errors to stderr and other lines to stdout. ${gate}`,
    );
    flags.add(
      `log-${format}-info-buffer-size`,
      quantityValue(field(this.streams[format], 'infoBufferSize')),
      `In the format ${format} with split streams, bytes of lines to buffer before they go to stdout. ${gate}`,
    );
  }

  /** The output that these options ask for. */
  get output(): LogOutputOptions {
    const format = this.format === 'json' ? 'json' : 'text';
    const { splitStream, infoBufferSize } = this.streams[format];
    const bufferSize = Number(Quantity.parse(infoBufferSize).value());
    return { format, splitStream, bufferSize, flushFrequency: this.flushFrequency };
  }

  /** `hasAlphaOptions`: the feature gate LoggingAlphaOptions is on. */
  validate({ hasAlphaOptions = false }: { readonly hasAlphaOptions?: boolean } = {}): readonly FieldError[] {
    const errors: FieldError[] = [];
    if (this.flushFrequency <= 0) {
      const value = formatGoDuration(this.flushFrequency);
      errors.push(fieldInvalid(FieldPath.of('flushFrequency'), value, 'Must be greater than zero'));
    }
    if (!formats.some((format) => format === this.format)) {
      errors.push(fieldInvalid(FieldPath.of('format'), this.format, 'Unsupported log format'));
    }
    if (this.vmodule.length > 0 && this.format !== 'text') {
      errors.push(fieldForbidden(FieldPath.of('vmodule'), 'Only supported for text log format'));
    }
    return hasAlphaOptions ? errors : [...errors, ...this.#alphaOptions()];
  }

  #alphaOptions(): readonly FieldError[] {
    const detail = 'Feature LoggingAlphaOptions is disabled';
    return (['text', 'json'] as const).flatMap((format) => {
      const path = FieldPath.of('options').child(format);
      const { splitStream, infoBufferSize } = this.streams[format];
      return [
        ...(splitStream ? [fieldForbidden(path.child('splitStream'), detail)] : []),
        ...(infoBufferSize === '0' ? [] : [fieldForbidden(path.child('infoBufferSize'), detail)]),
      ];
    });
  }

  #verbosityValue(): FlagValue {
    return {
      typeName: 'Level',
      isBoolean: false,
      set: (text) => {
        this.verbosity = parseVerbosity(text);
      },
      toString: () => String(this.verbosity),
      defaultText: undefined,
    };
  }

  /** Each occurrence adds patterns. */
  #vmoduleValue(): FlagValue {
    return {
      typeName: 'pattern=N,...',
      isBoolean: false,
      set: (text) => {
        this.vmodule = [...this.vmodule, ...parseVModule(text)];
      },
      toString: () => formatVModule(this.vmodule),
      defaultText: undefined,
    };
  }
}
