from voicepeer.commands.options import Commands


def configure(commands: Commands) -> None: ...
