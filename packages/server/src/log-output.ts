import pino from 'pino'
import type { Log } from './ports.js'

/** Fields that may hold a credential. They are never written, whoever logs them. */
const SECRET_FIELDS = ['token', 'auth_token', 'access_token', 'password', 'authorization', 'cookie', 'secret']
const REDACTED = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`])

/** Logs as JSON lines on stdout; on a terminal as lines for people. */
export function openLog(level: 'error' | 'warn' | 'info' | 'debug'): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, censor: '[redacted]' },
    serializers: { err: pino.stdSerializers.err },
  }
  if (!process.stdout.isTTY) return pino(options)
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { colorize: true, translateTime: 'HH:MM:ss' } },
  })
}
