import { endpoints } from '@printwarden/protocol'
import type { Api } from '../../http/api.js'
import { hangUpSignal } from '../hang-up.js'
import type { PlateFlow } from './plate-flow.js'

/** Pictures of plates, and how to print what they show. */
export function plateRoutes(api: Api, { plates }: { readonly plates: PlateFlow }): void {
  api.handle(endpoints.analysePlate, async ({ query, body }, { user_id: userId }, { reply }) => {
    const signal = hangUpSignal(reply.raw)
    return { message: await plates.analyse({ userId, question: body, lang: query.lang, signal }) }
  })
}
