import { z } from 'zod'

/** A printer that strangers may look at. Whoever has `share_token` sees its name and picture, and can do nothing. */
export const SharedResource = z
  .object({
    id: z.int().positive(),
    printer_id: z.int().positive(),
    share_token: z.string().regex(/^[0-9a-f]{36}$/),
  })
  .meta({ id: 'SharedResource' })
export type SharedResource = z.infer<typeof SharedResource>
