// Numbers typed ahead: "1" waits a moment where there is a 12, too; Enter need not wait.
const PAUSE = 900;

/** `numbers()` are those there are; `choose(number)` is called once one is meant; `say` tells how it stands. */
export function createNumber({ numbers, choose, say }) {
  let typed = "";
  let timer = null;

  const finish = () => {
    clearTimeout(timer);
    const number = typed;
    typed = "";
    if (!number) return false;
    if (numbers().includes(number)) choose(number);
    else say(`There is no class ${number}.`);
    return true;
  };

  return {
    press(digit) {
      clearTimeout(timer);
      typed += digit;
      const fitting = numbers().filter((number) => number.startsWith(typed));
      if (fitting.length === 0 || (fitting.length === 1 && fitting[0] === typed)) {
        finish();
        return;
      }
      say(`Into class ${typed}… type on, or press Enter.`);
      timer = setTimeout(finish, PAUSE);
    },
    /** Take what was typed so far; false when nothing was. */
    finish,
  };
}
