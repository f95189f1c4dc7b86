import type { Command, Print, Printer, PrinterEvent, PrinterStatus } from '@printwarden/protocol'
import { expectTypeOf, test } from 'vitest'
import type * as sdk from './resources.js'

// What the server promises (the protocol's schemas) must be readable through the SDK's types. Checked by the compiler.
test("the SDK's types hold what the protocol says", () => {
  const asRead = (status: PrinterStatus): sdk.PrinterStatus => status
  expectTypeOf(asRead).returns.toEqualTypeOf<sdk.PrinterStatus>()
  expectTypeOf<keyof sdk.PrinterStatus>().toExtend<keyof PrinterStatus>()
  expectTypeOf<Omit<Printer, 'status'>>().toExtend<Omit<sdk.Printer, 'status'>>()
  expectTypeOf<Print>().toExtend<sdk.Print>()
  expectTypeOf<Command>().toExtend<sdk.Command>()
  expectTypeOf<PrinterEvent>().toExtend<sdk.PrinterEvent>()
})
