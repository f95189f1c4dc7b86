/** What the server itself says to users of the assistant. */
export interface Words {
  /** The language's name, for the model. */
  readonly language: string
  readonly creditsExhausted: string
  readonly noPlate: string
  readonly noModel: string
  readonly oneFilament: string
  readonly noProcess: string
  readonly oneExtruder: string
  readonly supportSent: string
  /** Of a print of which nothing is kept: why there is no answer, and its cause. */
  readonly nothingKept: string
  readonly unknownCause: string
}

const ENGLISH: Words = {
  language: 'English',
  creditsExhausted: 'Monthly AI credit limit exceeded',
  noPlate: 'There is no plate yet. Add one, and I can help with it.',
  noModel: 'There is no model on the plate yet. Add one, and I can help with it.',
  oneFilament: 'Please choose exactly one filament; I can only help with prints of one filament.',
  noProcess: 'There is no print process preset to choose from. Please choose a printer that has some.',
  oneExtruder: 'The models use more than one extruder; I can only help with prints of one extruder.',
  supportSent: 'Your message was taken. Somebody will read it.',
  nothingKept: 'Nothing was kept of this print but that it started and ended, so nobody can say why it failed.',
  unknownCause: 'Unknown',
}

const TRANSLATIONS: Readonly<Record<string, Words>> = {
  en: ENGLISH,
  'zh-cn': {
    language: 'Simplified Chinese',
    creditsExhausted: '本月的 AI 额度已用完',
    noPlate: '还没有打印盘。请先添加一个，我就可以帮忙。',
    noModel: '打印盘上还没有模型。请先添加一个，我就可以帮忙。',
    oneFilament: '请只选择一种耗材；我只能帮助单一耗材的打印。',
    noProcess: '没有可选的打印工艺预设。请选择一台带有预设的打印机。',
    oneExtruder: '这些模型使用了多个挤出机；我只能帮助单挤出机的打印。',
    supportSent: '已收到您的消息，会有人阅读。',
    nothingKept: '除了开始和结束，这次打印没有留下任何记录，因此无法说明失败的原因。',
    unknownCause: '未知',
  },
  'zh-tw': {
    language: 'Traditional Chinese',
    creditsExhausted: '本月的 AI 額度已用完',
    noPlate: '還沒有列印盤。請先新增一個，我就可以幫忙。',
    noModel: '列印盤上還沒有模型。請先新增一個，我就可以幫忙。',
    oneFilament: '請只選擇一種線材；我只能協助單一線材的列印。',
    noProcess: '沒有可選的列印製程預設。請選擇一台帶有預設的印表機。',
    oneExtruder: '這些模型使用了多個擠出機；我只能協助單擠出機的列印。',
    supportSent: '已收到您的訊息，會有人閱讀。',
    nothingKept: '除了開始和結束，這次列印沒有留下任何記錄，因此無法說明失敗的原因。',
    unknownCause: '未知',
  },
  'pt-br': {
    language: 'Brazilian Portuguese',
    creditsExhausted: 'Limite mensal de créditos de IA excedido',
    noPlate: 'Ainda não há nenhuma placa. Adicione uma para que eu possa ajudar.',
    noModel: 'Ainda não há nenhum modelo na placa. Adicione um para que eu possa ajudar.',
    oneFilament: 'Escolha exatamente um filamento; só posso ajudar com impressões de um filamento.',
    noProcess: 'Não há predefinição de processo de impressão para escolher. Escolha uma impressora que tenha alguma.',
    oneExtruder: 'Os modelos usam mais de um extrusor; só posso ajudar com impressões de um extrusor.',
    supportSent: 'Sua mensagem foi recebida. Alguém vai lê-la.',
    nothingKept: 'Desta impressão só se sabe que começou e terminou; por isso ninguém pode dizer por que falhou.',
    unknownCause: 'Desconhecida',
  },
  es: {
    language: 'Spanish',
    creditsExhausted: 'Se ha superado el límite mensual de créditos de IA',
    noPlate: 'Todavía no hay ninguna placa. Añade una y podré ayudarte.',
    noModel: 'Todavía no hay ningún modelo en la placa. Añade uno y podré ayudarte.',
    oneFilament: 'Elige exactamente un filamento; solo puedo ayudar con impresiones de un filamento.',
    noProcess: 'No hay ningún ajuste de proceso de impresión que elegir. Elige una impresora que tenga alguno.',
    oneExtruder: 'Los modelos usan más de un extrusor; solo puedo ayudar con impresiones de un extrusor.',
    supportSent: 'Hemos recibido tu mensaje. Alguien lo leerá.',
    nothingKept: 'De esta impresión solo se sabe que empezó y terminó; por eso nadie puede decir por qué falló.',
    unknownCause: 'Desconocida',
  },
  de: {
    language: 'German',
    creditsExhausted: 'Das monatliche Limit an KI-Credits ist aufgebraucht',
    noPlate: 'Es gibt noch keine Druckplatte. Füge eine hinzu, dann kann ich helfen.',
    noModel: 'Auf der Druckplatte liegt noch kein Modell. Füge eines hinzu, dann kann ich helfen.',
    oneFilament: 'Bitte wähle genau ein Filament; ich kann nur bei Drucken mit einem Filament helfen.',
    noProcess: 'Es gibt kein Druckprofil zur Auswahl. Bitte wähle einen Drucker, der eines hat.',
    oneExtruder: 'Die Modelle verwenden mehr als einen Extruder; ich kann nur bei Drucken mit einem Extruder helfen.',
    supportSent: 'Deine Nachricht ist angekommen. Jemand wird sie lesen.',
    nothingKept: 'Von diesem Druck ist nur bekannt, dass er begann und endete; warum er misslang, kann niemand sagen.',
    unknownCause: 'Unbekannt',
  },
  fr: {
    language: 'French',
    creditsExhausted: "La limite mensuelle de crédits d'IA est dépassée",
    noPlate: "Il n'y a pas encore de plateau. Ajoutez-en un et je pourrai vous aider.",
    noModel: "Il n'y a pas encore de modèle sur le plateau. Ajoutez-en un et je pourrai vous aider.",
    oneFilament: 'Choisissez exactement un filament ; je ne peux aider que pour les impressions à un filament.',
    noProcess: "Il n'y a aucun préréglage de processus d'impression. Choisissez une imprimante qui en possède.",
    oneExtruder:
      "Les modèles utilisent plus d'une extrudeuse ; je ne peux aider que pour les impressions à une extrudeuse.",
    supportSent: "Votre message est bien arrivé. Quelqu'un va le lire.",
    nothingKept:
      "De cette impression, on sait seulement qu'elle a commencé et fini ; personne ne peut dire pourquoi elle a échoué.",
    unknownCause: 'Inconnue',
  },
  it: {
    language: 'Italian',
    creditsExhausted: 'Limite mensile di crediti IA superato',
    noPlate: "Non c'è ancora nessun piatto. Aggiungine uno e potrò aiutarti.",
    noModel: "Non c'è ancora nessun modello sul piatto. Aggiungine uno e potrò aiutarti.",
    oneFilament: 'Scegli esattamente un filamento; posso aiutare solo con stampe a un filamento.',
    noProcess: "Non c'è nessun profilo di stampa da scegliere. Scegli una stampante che ne abbia uno.",
    oneExtruder: 'I modelli usano più di un estrusore; posso aiutare solo con stampe a un estrusore.',
    supportSent: 'Il tuo messaggio è arrivato. Qualcuno lo leggerà.',
    nothingKept: 'Di questa stampa si sa solo che è iniziata e finita; nessuno può dire perché è fallita.',
    unknownCause: 'Sconosciuta',
  },
  ru: {
    language: 'Russian',
    creditsExhausted: 'Месячный лимит кредитов ИИ исчерпан',
    noPlate: 'Пока нет ни одного стола. Добавьте его, и я смогу помочь.',
    noModel: 'На столе пока нет моделей. Добавьте модель, и я смогу помочь.',
    oneFilament: 'Выберите ровно один филамент: я могу помочь только с печатью одним филаментом.',
    noProcess: 'Нет ни одного профиля печати. Выберите принтер, у которого он есть.',
    oneExtruder: 'Модели используют больше одного экструдера: я могу помочь только с печатью одним экструдером.',
    supportSent: 'Ваше сообщение получено. Его прочитают.',
    nothingKept: 'Об этой печати известно лишь, что она началась и закончилась; почему она не удалась, сказать нельзя.',
    unknownCause: 'Неизвестна',
  },
}

// A tag is a caller's text: as the key of an object it would find more than languages.
const BY_LANGUAGE = new Map(Object.entries(TRANSLATIONS))

/** The words in the language that fits a tag best, as `pt-BR`, `de-AT` or `zh_Hant`; English where none does. */
export function wordsOf(tag: string | undefined): Words {
  const wanted = (tag ?? '').toLowerCase().replaceAll('_', '-')
  const [primary = ''] = wanted.split('-')
  return BY_LANGUAGE.get(wanted) ?? BY_LANGUAGE.get(variantOf(primary, wanted)) ?? ENGLISH
}

/** Of languages that are there by region alone, the one that is meant. */
function variantOf(primary: string, wanted: string): string {
  if (primary === 'pt') return 'pt-br'
  if (primary === 'zh') return /hant|tw|hk|mo/.test(wanted) ? 'zh-tw' : 'zh-cn'
  return primary
}
