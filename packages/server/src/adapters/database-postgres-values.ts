import type { CustomTypesConfig } from 'pg'

// Values as they come from PostgreSQL. Both engines hand out the same: numbers, texts and nulls.

const INT8 = 20
const INT2 = 21
const INT4 = 23
const FLOAT4 = 700
const FLOAT8 = 701
const NUMERIC = 1700

/** @throws {RangeError} for an integer that a number cannot hold exactly */
function wholeNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database holds ${text}, which is more than a number can`)
  return value
}

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [INT2]: wholeNumber,
  [INT4]: wholeNumber,
  [INT8]: wholeNumber,
  [FLOAT4]: Number,
  [FLOAT8]: Number,
  // What sums of integers come as.
  [NUMERIC]: Number,
}

/** Everything else stays the text that it is: no column of ours has another type. */
export const postgresValues: CustomTypesConfig = {
  getTypeParser: (oid: number) => PARSERS[oid] ?? ((text: string) => text),
}
