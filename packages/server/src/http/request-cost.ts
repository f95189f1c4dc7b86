import type { Endpoint } from '@printwarden/protocol'
import type { FastifyRequest } from 'fastify'

/** What costs the server as much as so many plain requests, by operation. */
export const COSTS: Readonly<Record<string, number>> = {
  listPrints: 4,
  getPrintStats: 10,
  bulkDeletePrints: 10,
  deletePrinter: 10,
  exportDetectionExamples: 200,
  backtestPrint: 20,
  predictPrint: 10,
  findFailures: 10,
  findFailuresAt: 10,
  applyRetention: 20,
  createAccount: 10,
}

/** Each further so many bytes of a body that is read at once count as a request more. */
export const BYTES_PER_REQUEST = 16 * 1024

/** Each further so many values of a JSON body too: small ones take longer to read than their bytes tell. */
export const VALUES_PER_REQUEST = 1000

/** What a request costs of its sender's allowance, as far as its head tells. Files are limited where they are taken. */
export function costOf(endpoint: Endpoint | undefined, { headers }: Pick<FastifyRequest, 'headers'>): number {
  const bytes = isFile(endpoint) ? 0 : Number(headers['content-length'] ?? 0)
  return (COSTS[endpoint?.id ?? ''] ?? 1) + costOfBytes(bytes)
}

/** What a body adds to the cost. */
export const costOfBytes = (bytes: number): number => (bytes > 0 ? Math.floor(bytes / BYTES_PER_REQUEST) : 0)

/** What the values of a JSON body add to the cost. */
export const costOfValues = (values: number): number => Math.floor(values / VALUES_PER_REQUEST)

/** Whether only reading the body tells what it costs. */
export const isOfUnknownCost = (
  endpoint: Endpoint | undefined,
  { headers }: Pick<FastifyRequest, 'headers'>,
): boolean => headers['transfer-encoding'] !== undefined && !isFile(endpoint)

const isFile = (endpoint: Endpoint | undefined): boolean =>
  endpoint?.multipart !== undefined || endpoint?.rawTypes !== undefined
